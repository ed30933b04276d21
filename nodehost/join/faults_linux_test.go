package join

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Two Deployments on one machine and a client that asks one of them without end. steady is never
// changed: its containers have to be the same ones after every fault. All of it tolerates a machine
// that cannot be reached, so that no eviction is mixed up with a restart.
const underLoad = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {node.tabernetes.internal/kind: real}
      tolerations: [{operator: Exists}]
      terminationGracePeriodSeconds: 40
      containers:
      - name: nginx
        image: nginx
        imagePullPolicy: IfNotPresent
        readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1, timeoutSeconds: 10}
        # Whoever was sent here before the rules changed is still served, also if the rules have to wait
        # for what was killed.
        lifecycle: {preStop: {sleep: {seconds: 15}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: steady}
spec:
  replicas: 2
  selector: {matchLabels: {app: steady}}
  template:
    metadata: {labels: {app: steady}}
    spec:
      nodeSelector: {node.tabernetes.internal/kind: real}
      tolerations: [{operator: Exists}]
      terminationGracePeriodSeconds: 1
      containers:
      - name: nginx
        image: nginx
        imagePullPolicy: IfNotPresent
        readinessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}
        livenessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}
`

const loadingClient = `
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
    command: [sh, -c, 'n=0; lost=0; while :; do n=$((n+1));
      curl -sS --max-time 10 -o /dev/null http://$WEB_SERVICE_HOST/ || { lost=$((lost+1)); date; };
      echo $n $lost > /count.new; mv /count.new /count; sleep 0.05; done']
`

// faults is a machine with both Deployments, and what was there before the faults.
type faults struct {
	*rig
	alpha  *host
	agent  *process
	before string
}

func newFaults(t *testing.T) *faults {
	r := newRig(t, "--store")
	f := &faults{rig: r, alpha: r.host(t, "alpha", "192.168.171.11/24")}
	f.agent = f.alpha.join(t, f.alpha.first(t)...)
	f.alpha.importImages(t, "pause", "busybox", "nginx")
	r.kubectl(t, "kubectl apply -f - <<'END'"+underLoad+"END")
	r.kubectl(t, "kubectl rollout status deploy/web --timeout=150s && kubectl rollout status deploy/steady --timeout=150s")
	r.kubectl(t, "kubectl apply -f - <<'END'"+loadingClient+"END")
	r.kubectl(t, "kubectl wait pod/client --for=condition=Ready --timeout=90s")
	f.before = f.steady(t)
	return f
}

// steady are the containers that nothing may start again, with how often they were started.
func (f *faults) steady(t *testing.T) string {
	t.Helper()
	return f.kubectl(t, `kubectl get pods -l 'app in (steady, steady-client)' --sort-by=.metadata.name -o jsonpath='{range .items[*]}{.metadata.name} {.status.podIP} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}{"\n"}{end}'`)
}

// asked is how many requests the client has made, and how many of them were lost.
func (f *faults) asked(t *testing.T) (n, lost int) {
	t.Helper()
	var out string
	f.eventually(t, "kubectl exec client -- cat /count >/dev/null && echo there", "there")
	out = f.kubectl(t, "kubectl exec client -- cat /count")
	if _, err := fmt.Sscan(lastLine(out), &n, &lost); err != nil {
		t.Fatalf("the client has counted %q: %v", out, err)
	}
	return n, lost
}

// midDeployment has a fault happen while a rolling update is under way. The update has to end, no
// request may be lost, and nothing else may be started again.
func (f *faults) midDeployment(t *testing.T, fault func(t *testing.T)) {
	t.Helper()
	n, lost := f.asked(t)
	f.kubectl(t, "kubectl rollout restart deploy/web")
	f.eventually(t, `kubectl get deploy web -o jsonpath='{.metadata.generation} {.status.observedGeneration} {.status.updatedReplicas}' | awk '$1 == $2 && $3 >= 1 {print "under way"}'`, "under way")
	fault(t)
	f.eventually(t, `kubectl get node alpha -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`, "True")
	f.kubectl(t, "kubectl rollout status deploy/web --timeout=170s")
	f.eventually(t, "kubectl get pods -l app=web -o name | wc -l", "3") // those of before have gone
	if restarts := f.kubectl(t, "kubectl get pods -l app=web -o jsonpath='{.items[*].status.containerStatuses[0].restartCount}'"); restarts != "0 0 0" {
		t.Errorf("the new containers were started again: %s", restarts)
	}
	if now := f.steady(t); now != f.before {
		t.Errorf("there are\n%s\nand there were\n%s", now, f.before)
	}
	n2, lost2 := f.asked(t)
	t.Logf("asked %d, lost %d", n2-n, lost2-lost)
	if lost2 != lost || n2 == n {
		t.Errorf("of %d requests %d are lost:\n%s", n2-n, lost2-lost, f.kubectl(t, "kubectl logs client --tail=20"))
	}
}

// restartPlane kills the control plane; meanwhile happens before there is another one.
func (f *faults) restartPlane(t *testing.T, meanwhile func()) {
	t.Helper()
	f.plane.end(syscall.SIGKILL)
	meanwhile()
	f.startPlane(t)
}

// Each part is killed, or cut off, while a rolling update of a Service under load is under way.
func TestFaultsMidDeployment(t *testing.T) {
	f := newFaults(t)
	for _, c := range []struct {
		name  string
		fault func(t *testing.T)
	}{
		{"kill -9 of containerd", func(t *testing.T) {
			containerd := pid(t, "containerd --config "+f.alpha.place.Containerd())
			kill(t, containerd)
			f.awaitContainerd(t, f.alpha, containerd)
		}},
		{"kill -9 of nodehost", func(t *testing.T) {
			f.agent.end(syscall.SIGKILL)
			f.agent = f.alpha.join(t)
		}},
		{"kill -9 of the hub", func(t *testing.T) {
			f.serving.end(syscall.SIGKILL)
			f.startHub(t)
		}},
		{"kill -9 of the cluster", func(t *testing.T) {
			f.restartPlane(t, func() {})
		}},
		{"a short partition", func(t *testing.T) {
			f.alpha.Unplug(t, true)
			time.Sleep(15 * time.Second) // the fault itself
			f.alpha.Unplug(t, false)
		}},
	} {
		t.Run(c.name, func(t *testing.T) { f.midDeployment(t, c.fault) })
		if t.Failed() {
			return
		}
	}
	t.Run("another cluster in its place", f.testAnotherCluster)
	if os.Getenv("TABERNETES_LONG") == "" {
		return
	}
	t.Run("a partition of 2 minutes", func(t *testing.T) {
		f.midDeployment(t, func(t *testing.T) {
			f.partition(t, 2*time.Minute)
		})
	})
	t.Run("a partition of 10 minutes", func(t *testing.T) { f.testLongPartition(t) })
}

// partition cuts the machine off for a time in which the cluster finds out.
func (f *faults) partition(t *testing.T, length time.Duration) {
	t.Helper()
	f.alpha.Unplug(t, true)
	defer f.alpha.Unplug(t, false)
	began := time.Now()
	f.eventually(t, `kubectl get node alpha -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`, "Unknown")
	f.eventually(t, `kubectl get node alpha -o jsonpath='{.spec.taints[*].key}' | grep -o node.kubernetes.io/unreachable | sort -u`, "node.kubernetes.io/unreachable")
	time.Sleep(length - time.Since(began))
}

// A cluster without any state, at the same name and of the same instance, is what a tab is after a
// reload. The machine's CA is not its CA: it neither takes the machine nor ends what runs there, and
// when the right one is back nothing has changed.
func (f *faults) testAnotherCluster(t *testing.T) {
	dir, aside := filepath.Join(f.dir, "cluster"), filepath.Join(f.dir, "aside")
	if err := os.Mkdir(aside, 0o700); err != nil {
		t.Fatal(err)
	}
	move := func(from, to string) {
		for _, part := range []string{"store", "cluster"} {
			if err := os.Rename(filepath.Join(from, part), filepath.Join(to, part)); err != nil {
				t.Fatal(err)
			}
		}
	}
	sandboxes := func() string {
		return f.alpha.must(t, "bash", "-c", "ctr --address "+f.alpha.place.Socket()+" --namespace k8s.io tasks ls | sort")
	}
	n, lost := f.asked(t)
	running := sandboxes()
	f.restartPlane(t, func() { move(dir, aside) })
	f.agent.awaitWords(t, "the cluster at the hub is another one")
	// The new cluster works, and has heard the machine's refusals since.
	f.kubectl(t, "kubectl create namespace other && kubectl wait --for=condition=Ready node/node-1 --timeout=90s")
	if out := f.kubectl(t, "kubectl get nodes -o name"); out != "node/node-1" {
		t.Errorf("the other cluster has %s", out)
	}
	if out := f.kubectl(t, "kubectl get pods -A -o name; kubectl get csr -o name"); out != "" {
		t.Errorf("the other cluster has %s", out)
	}
	if now := sandboxes(); now != running {
		t.Errorf("there runs\n%s\nand there ran\n%s", now, running)
	}
	f.restartPlane(t, func() {
		if err := os.Rename(dir, dir+".other"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir+".other", "instance"), filepath.Join(dir, "instance")); err != nil {
			t.Fatal(err)
		}
		move(aside, dir)
	})
	f.eventually(t, `kubectl get node alpha -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`, "True")
	if now := f.steady(t); now != f.before {
		t.Errorf("there are\n%s\nand there were\n%s", now, f.before)
	}
	if n2, lost2 := f.asked(t); lost2 != lost || n2 == n {
		t.Errorf("of %d requests %d are lost", n2-n, lost2-lost)
	}
}

// testLongPartition is longer than pods stay bound to a machine that cannot be reached, unless they say
// that they do: those are evicted, and go when the machine is back; the others are as they were.
func (f *faults) testLongPartition(t *testing.T) {
	f.kubectl(t, `kubectl create deployment leaves --image=nginx --replicas=1 --dry-run=client -o json | `+
		`sed 's/"containers"/"tolerations":[{"key":"node.tabernetes.internal\/kind","operator":"Exists"}],"nodeSelector":{"node.tabernetes.internal\/kind":"real"},"containers"/;s/"image": "nginx",/"image": "nginx","imagePullPolicy":"IfNotPresent",/' | kubectl apply -f -`)
	f.kubectl(t, "kubectl rollout status deploy/leaves --timeout=90s")
	pod := f.kubectl(t, "kubectl get pods -l app=leaves -o name")
	n, lost := f.asked(t)
	f.partition(t, 10*time.Minute)
	f.kubectl(t, "kubectl wait --for=condition=Ready node/alpha --timeout=120s")
	f.kubectl(t, "kubectl rollout status deploy/leaves --timeout=120s")
	f.eventually(t, "kubectl get "+pod+" 2>&1 | grep -o NotFound", "NotFound")
	f.eventually(t, "kubectl get pods -l app=leaves -o name | wc -l", "1")
	if now := f.steady(t); now != f.before {
		t.Errorf("there are\n%s\nand there were\n%s", now, f.before)
	}
	n2, lost2 := f.asked(t)
	if lost2 != lost || n2 == n {
		t.Errorf("of %d requests %d are lost:\n%s", n2-n, lost2-lost, f.kubectl(t, "kubectl logs client --tail=20"))
	}
	if out := f.kubectl(t, "kubectl get node alpha -o jsonpath='{.spec.taints[*].key}'"); strings.Contains(out, "unreachable") {
		t.Errorf("the machine is back, and has the taints %s", out)
	}
}
