package join

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// partition cuts the machine off for a time in which the cluster finds out. What runs there is served
// all the while. But the cluster has marked its pods as not ready, and when the machine is back
// kube-proxy hears that before the kubelet has said that they are: until then the Service has nobody.
// That is upstream's, and what is lost of it is excused.
func (f *faults) partition(t *testing.T, length time.Duration) {
	t.Helper()
	_, lost := f.asked(t)
	f.alpha.Unplug(t, true)
	defer f.alpha.Unplug(t, false)
	began := time.Now()
	f.Eventually(t, `kubectl get node alpha -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`, "Unknown")
	f.Eventually(t, `kubectl get node alpha -o jsonpath='{.spec.taints[*].key}' | grep -o node.kubernetes.io/unreachable | sort -u`, "node.kubernetes.io/unreachable")
	time.Sleep(length - time.Since(began)) // the fault itself

	back := time.Now()
	f.alpha.Unplug(t, false)
	f.isReady(t)
	f.Kubectl(t, "kubectl wait --for=condition=Ready pod -l 'app in (steady, steady-client)' --timeout=120s")
	f.Eventually(t, `kubectl exec client -- awk '$3 >= 20 {print "served again"}' /count`, "served again")
	_, now := f.asked(t)
	early, err := strconv.Atoi(f.Kubectl(t, fmt.Sprintf("kubectl logs client | awk '/^[0-9]+$/ && $1 >= %d && $1 < %d' | wc -l", began.Unix(), back.Unix())))
	if err != nil {
		t.Fatal(err)
	}
	f.excused += now - lost - early
	t.Logf("served again %s after it was back; refused meanwhile: %d", time.Since(back).Round(100*time.Millisecond), f.excused)
}

// testLongPartition is longer than pods stay bound to a machine that cannot be reached, unless they say
// that they do: those are evicted, and go when the machine is back; the others are as they were.
func (f *faults) testLongPartition(t *testing.T) {
	longLane(t)
	f.rolledOut(t, nginxPods{name: "leaves", replicas: 1, pod: []string{onRealNodes}})
	pod := f.Kubectl(t, "kubectl get pods -l app=leaves -o name")
	f.unharmed(t, func() {
		f.partition(t, 10*time.Minute)
		f.isReady(t)
		f.Kubectl(t, "kubectl rollout status deploy/leaves --timeout=120s")
		f.Eventually(t, "kubectl get "+pod+" 2>&1 | grep -o NotFound", "NotFound")
		f.Eventually(t, "kubectl get pods -l app=leaves -o name | wc -l", "1")
	})
	if out := f.Kubectl(t, "kubectl get node alpha -o jsonpath='{.spec.taints[*].key}'"); strings.Contains(out, "unreachable") {
		t.Errorf("the machine is back, and has the taints %s", out)
	}
}
