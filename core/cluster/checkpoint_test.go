package cluster_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/checkpoint"
)

// TestGoingBack undoes the deletion of a namespace, a rollout and a scaling, while controllers and kubelets run: what
// comes back is the same objects, and its pods run.
func TestGoingBack(t *testing.T) {
	if os.Getenv(onEtcd) != "" {
		t.Skip("a real etcd is not ours to write into")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	line := func(line string) string {
		t.Helper()
		var out bytes.Buffer
		if code := terminal(ctx, line, &out, &out); code != 0 {
			t.Fatalf("$ %s\n%s\nexit code %d", line, out.String(), code)
		}
		return strings.TrimSpace(out.String())
	}
	points := running.Checkpoints()
	take := func(why string) int {
		t.Helper()
		p, err := points.Take(why, true)
		if err != nil {
			t.Fatal(err)
		}
		return p.ID
	}
	back := func(id int) *checkpoint.Difference {
		t.Helper()
		d, err := points.Restore(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	// Pods made anew have other names.
	const objects = `kubectl -n shop get deployments,replicasets,pods,services,configmaps -o jsonpath='{range .items[*]}{.kind} {.metadata.name}{"\n"}{end}' | sort`
	line("kubectl create namespace shop && kubectl -n shop create deployment web --image=nginx:1.27 --replicas=2 && kubectl -n shop expose deployment web --port=80 && kubectl -n shop create configmap settings --from-literal=colour=green")
	t.Cleanup(func() {
		terminal(context.WithoutCancel(ctx), "kubectl delete namespace shop --wait=false --ignore-not-found", os.Stderr, os.Stderr)
	})
	line("kubectl -n shop rollout status deployment/web --timeout=60s")
	before := line(objects)

	theSame := func() {
		t.Helper()
		// A ReplicaSet that comes back may make a pod before it sees that its own have come back, and ends that again.
		now := line(objects)
		for end := time.Now().Add(time.Minute); now != before && time.Now().Before(end); now = line(objects) {
			time.Sleep(200 * time.Millisecond)
		}
		if now != before {
			t.Errorf("there is\n%s\nand there was\n%s", now, before)
		}
		// Each has the owner that it had, which is there.
		const chain = `for p in $(kubectl -n shop get pods -l app=web -o jsonpath='{.items[*].metadata.ownerReferences[0].uid}'); do [ $p = $(kubectl -n shop get replicaset -l app=web -o jsonpath='{.items[0].metadata.uid}') ] || echo $p; done; [ $(kubectl -n shop get replicaset -l app=web -o jsonpath='{.items[0].metadata.ownerReferences[0].uid}') = $(kubectl -n shop get deployment web -o jsonpath='{.metadata.uid}') ] || echo another Deployment`
		if lost := line(chain); lost != "" {
			t.Errorf("owners: %s", lost)
		}
	}

	whole := take("before the deletion")
	line("kubectl delete namespace shop --timeout=90s")
	d := back(whole)
	if d.ComesBack < 8 || d.Goes > 2 {
		t.Errorf("%+v", d)
	}
	line("kubectl -n shop wait --for=condition=Available deployment/web --timeout=60s")
	theSame()
	if got := line("kubectl -n shop get configmap settings -o jsonpath='{.data.colour}'"); got != "green" {
		t.Errorf("the ConfigMap has %q", got)
	}
	// Its containers are new ones, and run.
	line(`kubectl -n shop wait --for=condition=Ready pod -l app=web --timeout=60s && for p in $(kubectl -n shop get pods -o name); do kubectl -n shop exec $p -- ls / >/dev/null || exit 1; done`)

	line("kubectl -n shop set image deployment/web nginx=nginx:1.29 && kubectl -n shop rollout status deployment/web --timeout=60s && kubectl -n shop scale deployment/web --replicas=4 && kubectl -n shop rollout status deployment/web --timeout=60s")
	back(whole)
	line("kubectl -n shop wait deployment/web --for=jsonpath='{.status.readyReplicas}'=2 --timeout=60s && kubectl -n shop rollout status deployment/web --timeout=60s")
	if got := line("kubectl -n shop get deployment web -o jsonpath='{.spec.replicas} {.spec.template.spec.containers[0].image}'"); got != "2 nginx:1.27" {
		t.Errorf("the Deployment has %s", got)
	}

	// A deletion that is under way: what the garbage collector is about to take comes back as well.
	line("kubectl -n shop delete deployment web --wait=false")
	back(whole)
	line("kubectl -n shop wait --for=condition=Available deployment/web --timeout=60s && kubectl -n shop rollout status deployment/web --timeout=60s")
	theSame()
}
