package join

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// killAll ends, with SIGKILL, everything that the node runs: nodehost, containerd, the shims and every
// container.
func (h *host) killAll(t *testing.T, agent *nodetest.Process) {
	t.Helper()
	agent.End(syscall.SIGKILL)
	script := fmt.Sprintf(`for i in $(seq 100); do
		pids=$(find /sys/fs/cgroup -path '*%s*' -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u)
		[ -n "$pids" ] || exit 0
		kill -9 $pids 2>/dev/null; sleep 0.1
	done; exit 1`, h.Cgroup)
	if out, err := h.Command("bash", "-c", script); err != nil {
		t.Fatalf("processes of the node do not end: %v: %s", err, out)
	}
	if left := h.Processes(); len(left) > 0 {
		t.Fatalf("processes are left: %s", strings.Join(left, "\n"))
	}
}

// testKilled kills all of a node at once, as a crash of the machine does but for what the kernel has:
// mounts, interfaces, rules, control groups. The next start goes on; a leave without a start in between
// finds all of it.
func (r *rig) testKilled(t *testing.T, h *host, before []string) {
	agent := h.Join(t, h.JoinLine(t)...)
	h.ImportImages(t, "pause", "busybox")
	r.Kubectl(t, `kubectl run held --image=busybox --image-pull-policy=IfNotPresent --overrides='{"spec":{"tolerations":[{"operator":"Exists"}],"nodeName":"alpha","terminationGracePeriodSeconds":1,
		"containers":[{"name":"held","image":"busybox","imagePullPolicy":"IfNotPresent","command":["sleep","2000"],"ports":[{"containerPort":80,"hostPort":18080}],
		"volumeMounts":[{"name":"memory","mountPath":"/memory"}]}],"volumes":[{"name":"memory","emptyDir":{"medium":"Memory"}}]}}'`)
	r.Kubectl(t, "kubectl wait --for=condition=Ready pod/held --timeout=90s")
	if out := h.Must(t, "nft", "list", "ruleset"); !strings.Contains(out, "18080") {
		t.Errorf("no rule for the host port:\n%s", out)
	}
	h.killAll(t, agent)
	agent = h.Join(t)
	r.Eventually(t, "kubectl get pod held -o jsonpath='{.status.containerStatuses[0].restartCount} {.status.containerStatuses[0].ready}'", "1 true")
	h.killAll(t, agent)
	h.Leave(t)
	r.Kubectl(t, "kubectl delete pod held --ignore-not-found --grace-period=0 --force 2>/dev/null || true")
	clean(t, h, before)
	r.Eventually(t, "kubectl get nodes -o name", "node/node-1")
}
