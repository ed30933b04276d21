package join

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// As many pods as a kubelet takes: all of them Ready, then deleted, and nothing of them is left.
func TestManyPods(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("make test-long runs it")
	}
	r := newRig(t)
	a := r.host(t, "alpha", "192.168.171.11/24")
	a.join(t, a.first(t)...)
	a.importImages(t, "pause", "busybox")
	before := a.traces(t)
	const most = 110
	began := time.Now()
	r.kubectl(t, fmt.Sprintf(`kubectl apply -f - <<'END'
{apiVersion: apps/v1, kind: Deployment, metadata: {name: many}, spec: {replicas: %d, progressDeadlineSeconds: 1200, selector: {matchLabels: {app: many}},
  template: {metadata: {labels: {app: many}}, spec: {nodeName: alpha, tolerations: [{operator: Exists}], terminationGracePeriodSeconds: 0,
    containers: [{name: sleep, image: busybox, imagePullPolicy: IfNotPresent, command: [sleep, "3600"]}]}}}}
END`, most))
	ready := "kubectl get deploy many -o jsonpath='{.status.readyReplicas}'"
	for last := ""; last != fmt.Sprint(most); time.Sleep(time.Second) {
		now := r.kubectl(t, ready)
		if time.Since(began) > 15*time.Minute {
			t.Fatalf("%s pods are Ready after %s", now, time.Since(began))
		}
		last = now
	}
	t.Logf("%d pods are Ready after %s", most, time.Since(began).Round(time.Second))
	addresses := r.kubectl(t, "kubectl get pods -l app=many -o jsonpath='{.items[*].status.podIP}' | tr ' ' '\\n' | sort -u | wc -l")
	if addresses != fmt.Sprint(most) {
		t.Errorf("%d pods have %s addresses", most, addresses)
	}
	if out := r.kubectl(t, "kubectl get pods -l app=many -o jsonpath='{.items[*].status.containerStatuses[0].restartCount}' | tr -d '0 '"); out != "" {
		t.Errorf("containers were started again: %s", out)
	}
	began = time.Now()
	r.kubectl(t, "kubectl delete deploy many --cascade=foreground --wait --timeout=170s")
	r.eventually(t, "kubectl get pods -o name", "")
	t.Logf("they are gone after %s", time.Since(began).Round(time.Second))
	var gone, came []string
	for end := time.Now().Add(longEnough); ; time.Sleep(time.Second) {
		if gone, came = difference(before, a.traces(t)); len(came) == 0 || time.Now().After(end) {
			break
		}
	}
	if len(came) > 0 {
		t.Errorf("left of them:\n%s\n(and gone: %s)", strings.Join(came, "\n"), strings.Join(gone, "\n"))
	}
}
