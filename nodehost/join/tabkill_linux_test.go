package join

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// bystanders are containers that nothing may touch while another Deployment is updated.
var bystanders = nginxPods{
	name: "bystanders", replicas: 2, pod: []string{onAnyRealNodes},
	container: []string{"livenessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}"},
}

// midUpdate holds a rolling update where the first new pod is Ready and does not count as available:
// what runs at the moment of the kill is what has to go on, to the last process.
const midUpdate = `{"spec": {"minReadySeconds": 3000, "progressDeadlineSeconds": 3600, "template": {"metadata": {"annotations": {"round": "2"}}}}}`

// testTabKilled kills the browser whose page is the control plane, in the middle of a rolling update.
// What a browser keeps ends with its profile here. So the tab that is restored afterwards, at the same name of
// the same hub, is another cluster: it neither gets the machine nor ends anything on it, and the
// machine says so. All the while every container serves.
func (r *rig) testTabKilled(t *testing.T, a *host, agent *nodetest.Process) {
	r.rolledOut(t, bystanders)
	r.Kubectl(t, "kubectl patch deploy web -p '"+midUpdate+"'")
	r.Eventually(t, `kubectl get deploy web -o jsonpath='{.status.updatedReplicas} new, {.status.readyReplicas} ready'`, "1 new, 3 ready")
	addresses := strings.Fields(r.Kubectl(t, "kubectl get pods -l 'app in (web, bystanders)' -o jsonpath='{.items[*].status.podIP}'"))
	if len(addresses) != 5 {
		t.Fatalf("the pods' addresses are %v", addresses)
	}
	load := a.ask(t, addresses)
	load.went(t)
	running := a.tasks(t)
	same := func(when string) {
		t.Helper()
		load.went(t)
		if now := a.tasks(t); now != running {
			t.Errorf("%s there runs\n%s\nand there ran\n%s", when, now, running)
		}
	}

	before := len(agent.Text())
	since := func(words string) {
		t.Helper()
		agent.AwaitIn(t, words, func(text string) bool { return strings.Contains(text[before:], words) })
	}
	tab := r.Plane
	nodetest.Kill(t, r.browser())
	<-tab.Done
	since("the hub is there, and the cluster is not")
	same("without the tab")

	r.StartTab(t)
	since("the cluster at the hub is another one")
	same("beside a tab with another cluster")
	// The new cluster works, and has heard the machine's refusals since.
	r.Kubectl(t, "kubectl create namespace other && kubectl wait --for=condition=Ready node/node-1 --timeout=120s")
	if out := r.Kubectl(t, "kubectl get nodes -o name"); out != "node/node-1" {
		t.Errorf("the other cluster has %s", out)
	}
	// (One request for a certificate is that of whoever was given access.)
	if out := r.Kubectl(t, `kubectl get pods -A -o name; kubectl get csr -o jsonpath='{range .items[*]}{.metadata.name} {.spec.signerName}{"\n"}{end}' | grep kubelet || true`); out != "" {
		t.Errorf("the other cluster has %s", out)
	}
	same("beside a cluster that works")
	select {
	case <-agent.Done:
		t.Errorf("nodehost has ended: %v", agent.Err)
	default:
	}
	t.Logf("of %d requests none was lost", load.end(t))
}

// browser is the tab's browser: the process whose end takes all of its others along; 0 without one.
func (r *rig) browser() int {
	for p, line := range nodetest.Commands() {
		if strings.Contains(line, "chromium") && !strings.Contains(line, "--type=") && parent(p) == r.Plane.PID() {
			return p
		}
	}
	return 0
}

// tasks are the processes of the machine's containers.
func (h *host) tasks(t *testing.T) string {
	t.Helper()
	return h.Must(t, "bash", "-c", "ctr --address "+h.Place.Socket()+" --namespace k8s.io tasks ls | sort")
}

// asking is a program of the machine's own that asks pods by their addresses without end.
type asking struct {
	*nodetest.Process
	file string // "ASKED LOST"
}

func (h *host) ask(t *testing.T, addresses []string) *asking {
	t.Helper()
	file := filepath.Join(h.rig.Dir, "asked")
	return &asking{file: file, Process: h.rig.Start(t, h.Namespace, "who asks the pods", []string{"bash", "-c", fmt.Sprintf(
		`n=0 lost=0; while :; do for ip in %s; do n=$((n+1))
			curl -sS --max-time 30 -o /dev/null http://$ip/ || { lost=$((lost+1)); echo "$ip, $(date)"; }; done
			echo $n $lost >%[2]s.new; mv %[2]s.new %[2]s; sleep 0.1; done`, strings.Join(addresses, " "), file)})}
}

func (a *asking) count() (n, lost int) {
	b, _ := os.ReadFile(a.file)
	_, _ = fmt.Sscan(string(b), &n, &lost)
	return n, lost
}

// went waits until every pod has been asked anew, and answered.
func (a *asking) went(t *testing.T) {
	t.Helper()
	before, _ := a.count()
	for end := time.Now().Add(nodetest.Patience); ; time.Sleep(50 * time.Millisecond) {
		n, lost := a.count()
		if lost > 0 {
			t.Fatalf("of %d requests %d are lost:\n%s", n, lost, a.Text())
		}
		if n > before+10 { // two rounds: one of them began now
			return
		}
		if time.Now().After(end) {
			t.Fatalf("only %d requests were answered since %d", n, before)
		}
	}
}

// end ends asking and returns how often it asked.
func (a *asking) end(t *testing.T) int {
	t.Helper()
	a.Process.End(syscall.SIGKILL)
	n, lost := a.count()
	if lost > 0 {
		t.Errorf("of %d requests %d are lost:\n%s", n, lost, a.Text())
	}
	return n
}
