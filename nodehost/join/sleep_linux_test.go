package join

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// nodeGrace is how long a node's lease may be old before the node counts as gone (kube-controller-manager's
// --node-monitor-grace-period), evictionGrace how long its pods then stay (DefaultTolerationSeconds).
const nodeGrace, evictionGrace = 50 * time.Second, 300 * time.Second

// impatient are pods that are evicted in the moment that their node counts as gone.
const impatient = `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: impatient-%[1]s}, spec: {replicas: 1,
  selector: {matchLabels: {app: impatient, on: %[1]s}}, template: {metadata: {labels: {app: impatient, on: %[1]s}},
  spec: {nodeName: %[1]s, terminationGracePeriodSeconds: 1, tolerations: [
    {key: node.tabernetes.internal/kind, operator: Exists},
    {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 0},
    {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 0}],
    containers: [{name: nginx, image: nginx, imagePullPolicy: IfNotPresent, livenessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}}]}}}}
`

// testSleep has the whole tab stand still, as a browser freezes one that nobody looks at, or the machine
// is suspended. Nobody could renew a lease meanwhile, so that nobody may be found gone for it.
func (r *rig) testSleep(t *testing.T) {
	for _, node := range []string{"alpha", "node-1"} {
		r.apply(t, fmt.Sprintf(impatient, node))
		r.Kubectl(t, "kubectl rollout status --timeout=120s deploy/impatient-"+node)
	}
	state := func() string {
		return r.Kubectl(t, `kubectl get nodes -o jsonpath='{range .items[*]}{.metadata.name} {range .status.conditions[?(@.type=="Ready")]}{.status} since {.lastTransitionTime}{end} {.spec.taints[*].key}{"\n"}{end}';`+
			`kubectl get pods --sort-by=.metadata.name -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid} {.status.phase} {.status.containerStatuses[*].restartCount} {range .status.conditions[?(@.type=="Ready")]}{.status} since {.lastTransitionTime}{end}{"\n"}{end}'`)
	}
	length := nodeGrace + 25*time.Second
	if os.Getenv("TABERNETES_LONG") != "" {
		length = nodeGrace + evictionGrace + time.Minute
	}
	before := state()
	renderers := r.renderers(t)
	for _, p := range renderers {
		if err := syscall.Kill(p, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(length) // the fault itself
	woken := time.Now()
	for _, p := range renderers {
		if err := syscall.Kill(p, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	// Every node has said that it is there, and the controllers have looked at it twice since.
	r.Eventually(t, fmt.Sprintf("kubectl get leases -n kube-node-lease -o jsonpath='{range .items[*]}{.spec.renewTime}{\"\\n\"}{end}' | awk '$1 > \"%s\"' | wc -l",
		woken.UTC().Format(time.RFC3339)), "2")
	time.Sleep(11 * time.Second)
	if after := state(); after != before {
		t.Errorf("after a sleep of %s there is\n%s\nand there was\n%s\n%s", length, after, before,
			r.Kubectl(t, "kubectl get events --sort-by=.lastTimestamp | tail -30"))
	}
	r.exec(t)
	r.Kubectl(t, "kubectl delete deploy impatient-alpha impatient-node-1 --wait")
}

// renderers are the processes of the tab's browser in which pages and their Workers run.
func (r *rig) renderers(t *testing.T) (found []int) {
	t.Helper()
	for p, line := range nodetest.Commands() {
		if !strings.Contains(line, "--type=renderer") {
			continue
		}
		for up := p; up > 1; up = parent(up) {
			if up == r.Plane.PID() {
				found = append(found, p)
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("the tab's browser has no renderer")
	}
	return found
}

// parent is the process that has started another one, 0 if that has gone.
func parent(pid int) int {
	fields := nodetest.Status(pid)
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}
