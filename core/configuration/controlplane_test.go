package configuration_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	core "github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// said is what a line prints, whatever its exit code.
func said(ctx context.Context, line string) string {
	var out bytes.Buffer
	term.Session("test").Run(ctx, line, core.Streams{Stdout: &out, Stderr: &out})
	return out.String()
}

// copied puts a file of testdata where the terminal finds it.
func copied(t *testing.T, name string) (file string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = os.WriteFile(dataDir+"/terminal/"+name, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "/" + name
}

// chapterLine is the line of the guide's chapter on initializers that names that.
func chapterLine(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../web/guide/chapters/06-initializers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "```shell\n")[1:] {
		if line, _, _ := strings.Cut(block, "```"); strings.Contains(line, name) {
			return line
		}
	}
	t.Fatalf("the chapter has no line with %s", name)
	return ""
}

// manifest is copied, and takes away what the file has made at the end.
func manifest(t *testing.T, name string) (file string) {
	t.Helper()
	file = copied(t, name)
	t.Cleanup(func() {
		said(context.WithoutCancel(t.Context()), "kubectl delete --ignore-not-found --wait=false -f "+file)
	})
	return file
}

// logOf logs what a component in a pod has to say, if the test has failed.
func logOf(t *testing.T, line string) {
	if t.Failed() {
		t.Log(said(context.WithoutCancel(t.Context()), line))
	}
}

// TestSecondScheduler: kubernetes.io's "Configure Multiple Schedulers", but for the image's name. Nobody but the
// pod's program schedules the pod, and none does once it is gone.
func TestSecondScheduler(t *testing.T) {
	configure(t, nil)
	kubectl(t, "kubectl apply -f "+manifest(t, "second-scheduler.yaml"))
	defer logOf(t, "kubectl -n kube-system logs deployment/my-scheduler")
	scheduled(t, "my-scheduler", "1m")
	eventually.True(t, "ready", func() bool {
		ctx := t.Context()
		return said(ctx, "kubectl -n kube-system get deployment my-scheduler -o jsonpath={.status.readyReplicas}") == "1"
	})
	if log := kubectl(t, "kubectl -n kube-system logs deployment/my-scheduler"); !strings.Contains(log, "Starting Kubernetes Scheduler") {
		t.Errorf("its log: %s", log)
	}
	scheduled(t, "default-scheduler", "1m") // the cluster's own goes on beside it

	// With its lease, as it is where nothing is said of it, and an extender that is a pod.
	kubectl(t, "kubectl apply -f "+manifest(t, "led-scheduler.yaml"))
	kubectl(t, "kubectl -n kube-system wait pod extender --for=condition=Ready --timeout=120s")
	kubectl(t, "kubectl -n kube-system rollout restart deployment my-scheduler && kubectl -n kube-system rollout status deployment my-scheduler --timeout=120s")
	lease := func(ctx context.Context) string {
		return said(ctx, "kubectl -n kube-system get lease my-scheduler -o jsonpath={.spec.holderIdentity}")
	}
	eventually.True(t, "it holds its lease", func() bool { h := lease(t.Context()); return h != "" && !strings.Contains(h, "rror") })
	attempts := func() (n int) {
		steps, _ := bus.All()
		for _, s := range steps {
			if s.Kind.Name == "scheduler.attempt" && s.Object.Namespace == "default" {
				n++
			}
		}
		return n
	}
	before := attempts()
	scheduled(t, "my-scheduler", "1m")
	eventually.True(t, "the trace tells what it has decided", func() bool { return attempts() > before })
	// Who takes the lease away ends it, and nothing else of the process; its kubelet starts it again.
	kubectl(t, `kubectl -n kube-system patch lease my-scheduler -p '{"spec": {"holderIdentity": "somebody", "leaseDurationSeconds": 3600}}'`)
	eventually.True(t, "it ended, and began again", func() bool {
		ctx := t.Context()
		return strings.Trim(said(ctx, "kubectl -n kube-system get pods -l component=scheduler -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'"), "0 ") != ""
	})
	if log := said(t.Context(), "kubectl -n kube-system logs deployment/my-scheduler --previous"); !strings.Contains(log, "leaderelection lost") {
		t.Errorf("its log: %s", log)
	}
	kubectl(t, "kubectl -n kube-system delete lease my-scheduler")
	scheduled(t, "my-scheduler", "1m")
}

// TestAggregation: sample-apiserver serves flunders from a pod; without the pod upstream says that its API is
// not available, and with the next one, whose etcd is empty, it is again.
func TestAggregation(t *testing.T) {
	configure(t, nil)
	kubectl(t, "kubectl apply -f "+manifest(t, "aggregation.yaml"))
	defer logOf(t, "kubectl -n wardle logs deployment/wardle-server --all-containers")
	available := func(what, status string) {
		t.Helper()
		eventually.True(t, what, func() bool {
			ctx := t.Context()
			return said(ctx, `kubectl get apiservice v1alpha1.wardle.example.com -o 'jsonpath={.status.conditions[?(@.type=="Available")].status}'`) == status
		})
	}
	available("served", "True")
	flunder, last := copied(t, "flunder.yaml"), ""
	defer func() {
		if t.Failed() {
			t.Log(last)
		}
	}()
	eventually.True(t, "made", func() bool {
		ctx := t.Context()
		last = said(ctx, "kubectl create -f "+flunder)
		return strings.Contains(last, "created")
	})
	if got := kubectl(t, "kubectl get flunders -o name"); !strings.Contains(got, "my-first-flunder") {
		t.Errorf("flunders: %s", got)
	}
	kubectl(t, "kubectl -n wardle scale deployment wardle-server --replicas=0")
	kubectl(t, "kubectl -n wardle delete pod -l apiserver=true --force --grace-period=0 --wait=false") // no time to end by itself
	available("without the pod", "False")
	if got := said(t.Context(), "kubectl get flunders.v1alpha1.wardle.example.com"); strings.Contains(got, "my-first-flunder") {
		t.Errorf("nobody serves, and there is %s", got)
	}
	kubectl(t, "kubectl -n wardle scale deployment wardle-server --replicas=1")
	available("again", "True")
	eventually.True(t, "another etcd", func() bool {
		ctx := t.Context()
		return strings.Contains(said(ctx, "kubectl get flunders.v1alpha1.wardle.example.com"), "No resources found")
	})
}
