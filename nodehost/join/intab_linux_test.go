package join

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/intab"
	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// mixed is a server and a client on an in-tab node, and a client on a real one. /clientip says whom the
// server sees.
const mixed = `
apiVersion: v1
kind: Pod
metadata: {name: tab, labels: {app: tab}}
spec:
  nodeName: node-1
  containers:
  - {name: c, image: registry.k8s.io/e2e-test-images/agnhost:2.63.0, args: [netexec, --http-port=8080], ports: [{containerPort: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: tab}
spec: {type: NodePort, selector: {app: tab}, ports: [{port: 80, targetPort: 8080, nodePort: 30081}]}
---
apiVersion: v1
kind: Service
metadata: {name: tab-headless}
spec: {clusterIP: None, selector: {app: tab}, ports: [{port: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: machine, labels: {app: machine}}
spec:
  nodeName: alpha
  tolerations: [{operator: Exists}]
  terminationGracePeriodSeconds: 0
  containers:
  - {name: nginx, image: nginx, imagePullPolicy: IfNotPresent}
---
apiVersion: v1
kind: Service
metadata: {name: machine}
spec: {selector: {app: machine}, ports: [{port: 80}]}
`

const nobodyButFriends = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: friends}
spec: {podSelector: {matchLabels: {app: tab}}, ingress: [{from: [{podSelector: {matchLabels: {friend: "yes"}}}]}]}
`

// Who reaches whom in a cluster of both kinds of nodes: pods of the tab, pods of a real machine and that
// machine, by pod, Service, node port and name.
func TestWhoReachesWhom(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.host(t, "alpha", "192.168.171.11/24")
	before := a.Traces(t)
	a.Join(t, a.JoinLine(t)...)
	a.ImportImages(t, "pause", "nginx")
	r.apply(t, mixed)
	r.Kubectl(t, "kubectl wait pod/tab pod/machine --for=condition=Ready --timeout=90s")
	address := func(pod string) string { return r.Kubectl(t, "kubectl get pod "+pod+" -o jsonpath={.status.podIP}") }
	tab, machine := address("tab"), address("machine")
	inMachine := "kubectl exec machine -- curl -sS --max-time 5 "
	inTab := "kubectl exec tab -- curl -sS --max-time 5 "

	for _, c := range []struct{ what, line, want string }{
		{"a machine's pod, a pod of the tab", inMachine + "http://" + tab + ":8080/clientip | cut -d: -f1", machine},
		{"a machine's pod, a Service of the tab", inMachine + "http://tab/clientip | cut -d: -f1", machine},
		{"a machine's pod, a headless Service of the tab", inMachine + "http://tab-headless.default.svc.cluster.local:8080/clientip | cut -d: -f1", machine},
		{"a machine's pod, a node port of its machine", inMachine + "http://" + a.IP() + ":30081/echo?msg=hello", "hello"},
		{"a pod of the tab, a machine's pod", inTab + "http://" + machine + " | grep -c '<title>Welcome'", "1"},
		{"a pod of the tab, a Service of the machine", inTab + "http://machine | grep -c '<title>Welcome'", "1"},
	} {
		t.Run(c.what, func(t *testing.T) { r.Eventually(t, c.line, c.want) })
	}
	// A node's port is for its own kind, and for who is outside: the other kind has the Service.
	for _, c := range []struct{ what, line, want string }{
		{"a pod of the tab, a machine's node port", inTab + "http://" + a.IP() + ":30081/hostname", "the node allows its kubelet and its pods to be dialled"},
		{"a machine's pod, an in-tab node's port", inMachine + "http://172.30.0.11:30081/hostname", "Failed to connect to 172.30.0.11 port 30081"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if out, err := r.Try(c.line); err == nil || !strings.Contains(out+err.Error(), c.want) {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
	r.Eventually(t, inTab+"http://172.30.0.11:30081/hostname", "tab")
	t.Run("the machine itself, and who reaches it", func(t *testing.T) {
		for _, at := range []string{tab + ":8080", a.IP() + ":30081", r.Kubectl(t, "kubectl get service tab -o jsonpath={.spec.clusterIP}")} {
			if out := a.Must(t, "curl", "-sS", "--max-time", "5", "http://"+at+"/echo?msg=hello"); out != "hello" {
				t.Errorf("the machine, of %s: %q", at, out)
			}
		}
		out, err := nodetest.Run(r.Hub.Namespace, nodetest.Patience, "curl", "-sS", "--max-time", "5", "http://"+a.IP()+":30081/echo?msg=hello")
		if err != nil || out != "hello" {
			t.Errorf("another machine, of the node port: %q, %v", out, err)
		}
	})
	t.Run("a laptop", func(t *testing.T) { r.testLaptop(t, tab) })
	t.Run("much at once", func(t *testing.T) {
		r.Eventually(t, `kubectl exec machine -- sh -c 'curl -sS --max-time 20 "http://tab/echo?msg=$(head -c 20000 /dev/zero | tr "\0" x)" | wc -c' | tr -d ' '`, "20000")
	})
	t.Run("nobody listens", func(t *testing.T) {
		out, err := r.Try(inMachine + "http://" + tab + ":81")
		if err == nil || !strings.Contains(err.Error(), "refused") && !strings.Contains(err.Error(), "Couldn't connect") {
			t.Errorf("%s, %v", out, err)
		}
	})
	t.Run("what is no pod's", func(t *testing.T) {
		if out, err := r.Try(inMachine + "http://10.244.250.9:80"); err == nil {
			t.Errorf("%s", out)
		}
	})
	t.Run("a NetworkPolicy of the tab's pod", func(t *testing.T) {
		r.apply(t, nobodyButFriends)
		r.Eventually(t, inMachine+"-o /dev/null http://tab/hostname 2>&1 | grep -c 'timed out'", "1")
		r.Kubectl(t, "kubectl label pod machine friend=yes")
		r.Eventually(t, inMachine+"http://tab/hostname", "tab")
	})
	if out := a.Must(t, "ip", "-o", "route", "show", "proto", "84", "dev", intab.Interface); strings.Count(out, "\n") != 2 {
		t.Errorf("routes to in-tab pods:\n%s", out)
	}
	r.Kubectl(t, "kubectl delete pod machine --wait --timeout=60s")
	a.Leave(t, "--force")
	clean(t, a, before)
}
