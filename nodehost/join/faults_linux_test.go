package join

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// Two Deployments on one machine and a client that asks one of them without end. steady is never
// changed: its containers have to be the same ones after every fault.
var (
	underLoad = nginxPods{
		name: "web", replicas: 3,
		pod: []string{onAnyRealNodes, "terminationGracePeriodSeconds: 40"},
		container: []string{
			"readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1, timeoutSeconds: 10}",
			// Whoever was sent here before the rules changed is still served, also if the rules have to
			// wait for what was killed.
			"lifecycle: {preStop: {sleep: {seconds: 15}}}",
		},
	}
	steady = nginxPods{
		name: "steady", replicas: 2,
		pod: []string{onAnyRealNodes, "terminationGracePeriodSeconds: 1"},
		container: []string{
			"readinessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}",
			"livenessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}",
		},
	}
)

const loadingClient = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
---
apiVersion: v1
kind: Pod
metadata: {name: client, labels: {app: steady-client}}
spec:
  nodeName: alpha
  tolerations: [{operator: Exists}]
  terminationGracePeriodSeconds: 0
  containers:
  - name: nginx
    image: nginx
    imagePullPolicy: IfNotPresent
    command: [sh, -c, 'n=0; lost=0; row=0; while :; do n=$((n+1)); row=$((row+1));
      curl -sS --max-time 10 -o /dev/null http://$WEB_SERVICE_HOST/ || { lost=$((lost+1)); row=0; date +%s; };
      echo $n $lost $row > /count.new; mv /count.new /count; sleep 0.05; done']
`

// whatHappened tells of a lost request who could have lost it: a node that was not Ready for a moment
// takes all its pods out of their Services.
const whatHappened = `kubectl get events -A --sort-by=.metadata.creationTimestamp -o custom-columns=AT:.metadata.creationTimestamp,OF:.involvedObject.name,WHY:.reason,WORDS:.message | tail -n 60;
kubectl get node alpha -o jsonpath='{range .status.conditions[*]}{.type} {.status} since {.lastTransitionTime}{"\n"}{end}'; kubectl get endpointslices,pods -o wide`

// faults is a machine with both Deployments, and what was there before the faults.
type faults struct {
	*rig
	alpha  *host
	agent  *nodetest.Process
	before string
	// excused are requests that were lost, and had to be.
	excused int
}

func newFaults(t *testing.T) *faults {
	r := newRig(t, "--store")
	f := &faults{rig: r, alpha: r.host(t, "alpha", "192.168.171.11/24")}
	f.agent = f.alpha.Join(t, f.alpha.JoinLine(t)...)
	f.alpha.ImportImages(t, "pause", "busybox", "nginx")
	r.rolledOut(t, underLoad, steady)
	r.apply(t, loadingClient)
	r.Kubectl(t, "kubectl wait pod/client --for=condition=Ready --timeout=90s")
	// It may run before the rules have its Service: what it lost then is nobody's fault.
	r.Eventually(t, "kubectl exec client -- cat /count | awk '$3 >= 20 {print \"answered\"}'", "answered")
	f.before = f.steady(t)
	return f
}

// steady are the containers that nothing may start again, with how often they were started.
func (f *faults) steady(t *testing.T) string {
	t.Helper()
	return f.containers(t, "app in (steady, steady-client)")
}

// asked is how many requests the client has made, and how many of them were lost.
func (f *faults) asked(t *testing.T) (n, lost int) {
	t.Helper()
	f.Eventually(t, "kubectl exec client -- cat /count >/dev/null && echo there", "there")
	out := f.Kubectl(t, "kubectl exec client -- cat /count")
	if _, err := fmt.Sscan(lastLine(out), &n, &lost); err != nil {
		t.Fatalf("the client has counted %q: %v", out, err)
	}
	return n, lost
}

// unharmed has something happen, after which no request may be lost and nothing be started again.
func (f *faults) unharmed(t *testing.T, happens func()) {
	t.Helper()
	f.excused = 0
	n, lost := f.asked(t)
	happens()
	if now := f.steady(t); now != f.before {
		t.Errorf("there are\n%s\nand there were\n%s", now, f.before)
	}
	n2, lost2 := f.asked(t)
	asked, lost := n2-n, lost2-lost-f.excused
	t.Logf("asked %d, lost %d", asked, lost)
	if lost != 0 || asked == 0 {
		t.Errorf("of %d requests %d are lost:\n%s\n%s", asked, lost, f.Kubectl(t, "kubectl logs client --tail=20"), f.Kubectl(t, whatHappened))
	}
}

// midDeployment has a fault happen while a rolling update is under way. The update has to end.
func (f *faults) midDeployment(t *testing.T, fault func(t *testing.T)) {
	t.Helper()
	f.unharmed(t, func() {
		f.Kubectl(t, "kubectl rollout restart deploy/web")
		f.Eventually(t, `kubectl get deploy web -o jsonpath='{.metadata.generation} {.status.observedGeneration} {.status.updatedReplicas}' | awk '$1 == $2 && $3 >= 1 {print "under way"}'`, "under way")
		fault(t)
		f.isReady(t)
		f.Kubectl(t, "kubectl rollout status deploy/web --timeout=170s")
		f.Eventually(t, "kubectl get pods -l app=web -o name | wc -l", "3") // those of before have gone
		if restarts := f.Kubectl(t, "kubectl get pods -l app=web -o jsonpath='{.items[*].status.containerStatuses[0].restartCount}'"); restarts != "0 0 0" {
			t.Errorf("the new containers were started again: %s", restarts)
		}
	})
}

// isReady waits until the machine is a Ready node (again).
func (r *rig) isReady(t *testing.T) {
	t.Helper()
	r.Eventually(t, `kubectl get node alpha -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`, "True")
}

// restartPlane kills the control plane; meanwhile happens before there is another one.
func (f *faults) restartPlane(t *testing.T, meanwhile func()) {
	t.Helper()
	f.Plane.End(syscall.SIGKILL)
	meanwhile()
	f.StartPlane(t)
}

// Each part is killed, or cut off, while a rolling update of a Service under load is under way.
func TestFaultsMidDeployment(t *testing.T) {
	t.Parallel()
	f := newFaults(t)
	for _, c := range []struct {
		name  string
		fault func(t *testing.T)
	}{
		{"kill -9 of containerd", func(t *testing.T) {
			containerd := nodetest.PID("containerd --config " + f.alpha.Place.Containerd())
			nodetest.Kill(t, containerd)
			f.awaitContainerd(t, f.alpha, containerd)
		}},
		{"kill -9 of nodehost", func(t *testing.T) {
			f.agent.End(syscall.SIGKILL)
			if !f.alpha.Runs("nginx: master") {
				t.Error("the containers did not go on")
			}
			f.agent = f.alpha.Join(t) // as what it is
		}},
		{"kill -9 of the hub", func(t *testing.T) {
			f.Serving.End(syscall.SIGKILL)
			f.StartHub(t)
		}},
		{"kill -9 of the cluster", func(t *testing.T) {
			f.restartPlane(t, func() {})
		}},
		{"a partition of 2 minutes", func(t *testing.T) {
			f.partition(t, 2*time.Minute)
		}},
	} {
		t.Run(c.name, func(t *testing.T) { f.midDeployment(t, c.fault) })
		if t.Failed() {
			return
		}
	}
	t.Run("another cluster in its place", f.testAnotherCluster)
	t.Run("a partition of 10 minutes", f.testLongPartition)
}
