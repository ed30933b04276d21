package join

import (
	"os"
	"syscall"
	"testing"
)

// A real machine with real containers, and the control plane in a browser's tab.
func TestRealNodeOfATab(t *testing.T) {
	if os.Getenv("TABERNETES_TEST_TAB") == "" {
		t.Skip("set TABERNETES_TEST_TAB=1: it builds the page and opens it in Chromium")
	}
	r := newTabRig(t, true)
	a := r.host(t, "alpha", "192.168.171.11/24")
	before := a.Traces(t)
	agent := a.Join(t, a.JoinLine(t)...)
	a.ImportImages(t, "pause", "busybox", "nginx")
	t.Run("what a node is", func(t *testing.T) { r.testNode(t, a) })
	t.Run("a Deployment", func(t *testing.T) { r.testDeployment(t, a) })
	t.Run("what a command of the tab comes to", func(t *testing.T) { r.testTypedInTheTab(t, a) })
	t.Run("the tree of the guide's Deployment", func(t *testing.T) { r.testGuidedTreeOfTheTab(t, a) })
	t.Run("beside pods of the tab", func(t *testing.T) {
		r.Kubectl(t, "kubectl create deployment nginx --image=nginx --replicas=2 && kubectl rollout status deploy/nginx --timeout=90s")
		r.Eventually(t, "kubectl get pods -l app=nginx -o jsonpath='{.items[*].spec.nodeName}'", "node-1 node-1")
		// From a pod of the tab to one of the machine: through the tunnel.
		r.Kubectl(t, "kubectl run client --image=busybox -- sleep 3600 && kubectl wait --for=condition=Ready pod/client --timeout=60s")
		r.Eventually(t, `kubectl exec client -- wget -qO- http://$(kubectl get pods -l app=web -o jsonpath='{.items[0].status.podIP}') | grep -c '<title>Welcome'`, "1")
	})
	if t.Failed() {
		return
	}
	t.Run("a reload of the tab", func(t *testing.T) { r.testTabReloaded(t, a, agent) })
	if t.Failed() {
		return
	}
	t.Run("the tab sleeps", func(t *testing.T) { r.testSleep(t) })
	t.Run("kill -9 of the tab", func(t *testing.T) { r.testTabKilled(t, a, agent) })
	agent.End(syscall.SIGTERM)
	a.Leave(t, "--force")
	clean(t, a, before)
}
