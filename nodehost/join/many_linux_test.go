package join

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// As many pods as a kubelet takes: all of them Ready, then deleted, and nothing of them is left.
func TestManyPods(t *testing.T) {
	longLane(t)
	r := newRig(t)
	a := r.host(t, "alpha", "192.168.171.11/24")
	a.Join(t, a.JoinLine(t)...)
	a.ImportImages(t, "pause", "busybox")
	r.deploy(t, 1) // the bridge and the groups that the first pod brings stay while the node does
	r.undeploy(t)
	before := a.Traces(t)
	const most = 110
	began := time.Now()
	r.deploy(t, most)
	t.Logf("%d pods are Ready after %s", most, time.Since(began).Round(time.Second))
	addresses := r.Kubectl(t, "kubectl get pods -l app=many -o jsonpath='{.items[*].status.podIP}' | tr ' ' '\\n' | sort -u | wc -l")
	if addresses != fmt.Sprint(most) {
		t.Errorf("%d pods have %s addresses", most, addresses)
	}
	if out := r.Kubectl(t, "kubectl get pods -l app=many -o jsonpath='{.items[*].status.containerStatuses[0].restartCount}' | tr -d '0 '"); out != "" {
		t.Errorf("containers were started again: %s", out)
	}
	began = time.Now()
	r.undeploy(t)
	t.Logf("they are gone after %s", time.Since(began).Round(time.Second))
	var gone, came []string
	for end := time.Now().Add(nodetest.Patience); ; time.Sleep(time.Second) {
		if gone, came = difference(before, a.Traces(t)); len(came) == 0 || time.Now().After(end) {
			break
		}
	}
	if len(came) > 0 {
		t.Errorf("left of them:\n%s\n(and gone: %s)", strings.Join(came, "\n"), strings.Join(gone, "\n"))
	}
}

// deploy has alpha run so many pods, and returns when they are Ready.
func (r *rig) deploy(t *testing.T, pods int) {
	t.Helper()
	began := time.Now()
	r.apply(t, fmt.Sprintf(`
{apiVersion: apps/v1, kind: Deployment, metadata: {name: many}, spec: {replicas: %d, progressDeadlineSeconds: 1200, selector: {matchLabels: {app: many}},
  template: {metadata: {labels: {app: many}}, spec: {nodeName: alpha, tolerations: [{operator: Exists}], terminationGracePeriodSeconds: 0,
    containers: [{name: sleep, image: busybox, imagePullPolicy: IfNotPresent, command: [sleep, "3600"]}]}}}}`, pods))
	for last := ""; last != fmt.Sprint(pods); time.Sleep(time.Second) {
		last = r.Kubectl(t, "kubectl get deploy many -o jsonpath='{.status.readyReplicas}'")
		if time.Since(began) > 15*time.Minute {
			t.Fatalf("%q of %d pods are Ready after %s", last, pods, time.Since(began))
		}
	}
}

// undeploy returns when the API has none of them any more.
func (r *rig) undeploy(t *testing.T) {
	t.Helper()
	r.Kubectl(t, "kubectl delete deploy many --cascade=foreground --wait --timeout=170s")
	r.Eventually(t, "kubectl get pods -o name", "")
}
