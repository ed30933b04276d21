package decision

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	profiles "k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/tabernetes/tabernetes/core/trace"
)

// running is upstream's scheduler over a client that stands in for the apiserver.
type running struct {
	*Decisions
	t      *testing.T
	bus    *trace.Bus
	client *fake.Clientset
	steps  *trace.Viewer
}

func run(t *testing.T, nodes ...*corev1.Node) *running {
	t.Helper()
	return runExtended(t, nil, nodes...)
}

// runExtended is run with extenders.
func runExtended(t *testing.T, extenders []fwk.Extender, nodes ...*corev1.Node) *running {
	t.Helper()
	ctx := t.Context()
	r := &running{t: t, bus: trace.New(), client: fake.NewClientset()}
	for _, n := range nodes {
		if _, err := r.client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	f := informers.NewSharedInformerFactory(r.client, 0)
	recorder := func(string) events.EventRecorderLogger { return &events.FakeRecorder{} }
	s, err := scheduler.New(ctx, r.client, f, nil, profiles.RecorderFactory(recorder))
	if err != nil {
		t.Fatal(err)
	}
	s.Extenders = extenders
	if r.Decisions, err = Watch(s, r.bus); err != nil {
		t.Fatal(err)
	}
	r.steps = r.bus.View(false)
	t.Cleanup(r.steps.Close)
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	go s.Run(ctx)
	return r
}

// wait reads steps until one is of that kind and pod.
func (r *running) wait(kind *trace.Kind, pod string) trace.Step {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	for {
		batch, err := r.steps.Next(ctx, 1)
		if err != nil {
			steps, _ := r.bus.All()
			r.t.Fatalf("no %s of %s: %v\n%s", kind.Name, pod, err, kinds(steps))
		}
		for _, s := range batch.Steps {
			if s.Kind == kind && s.Object.Name == pod {
				return s
			}
		}
	}
}

func kinds(steps []trace.Step) string {
	var b strings.Builder
	for i := range steps {
		fmt.Fprintf(&b, "%s\n", steps[i].JSON(true))
	}
	return b.String()
}

func node(name string, cpu string, change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
		}},
	}
	for _, c := range change {
		c(n)
	}
	return n
}

func pod(name, cpu string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-of-" + name)},
		Spec: corev1.PodSpec{SchedulerName: "default-scheduler", Containers: []corev1.Container{{
			Name: "c", Image: "nginx", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
		}}},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func (r *running) create(p *corev1.Pod) {
	r.t.Helper()
	if _, err := r.client.CoreV1().Pods(p.Namespace).Create(r.t.Context(), p, metav1.CreateOptions{}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *running) latest(name string) *Decision {
	r.t.Helper()
	d := r.Latest("default", name)
	if d == nil {
		r.t.Fatalf("no decision about %s", name)
	}
	return d
}

func details(t *testing.T, s trace.Step) string {
	t.Helper()
	b, err := json.Marshal(s.Details)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
