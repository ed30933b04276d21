package clienttrace

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tabernetes/tabernetes/core/trace"
)

var testKind = trace.Declare(trace.Kubectl, "test.put", trace.Place{})

func wrote(bus *trace.Bus, revision int64) trace.ID {
	id := bus.Reserve()
	bus.Wrote(id, revision, "", "")
	return bus.Add(trace.Step{ID: id, Kind: testKind})
}

func pod(revision string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", ResourceVersion: revision}}
}

// TestEventToWork: the way of two writes through an informer and a queue to one reconcile, which has
// both as causes, and what it does has it.
func TestEventToWork(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	q := newQueue("pods")
	first, second := wrote(bus, 7), wrote(bus, 8)
	for _, event := range []*corev1.Pod{pod("7"), pod("8"), pod("9")} {
		distributed("updated", event, 2)
		for range 2 { // two handlers add the same item
			delivered := delivering(event)
			q.Added("default/p")
			delivered()
		}
	}
	if trace.Marked() != 0 {
		t.Error("a handler's mark stays")
	}
	q.Got("default/p")
	working := trace.Marked()
	q.Added("default/p") // while it is worked on: by itself
	q.Done("default/p")
	if working == 0 || trace.Marked() != 0 {
		t.Errorf("marked %d while working, %d after", working, trace.Marked())
	}
	s, ok := bus.Find(working)
	if !ok {
		t.Fatal("the reconcile was not told")
	}
	informedBy := func(id trace.ID) trace.ID {
		event, _ := bus.Find(id)
		return event.Cause
	}
	if informedBy(s.Cause) != first || len(s.Causes) != 1 || informedBy(s.Causes[0]) != second {
		t.Errorf("causes %d %v, want what came of %d and %d", s.Cause, s.Causes, first, second)
	}
	if d := s.Details.(*Reconciled); d.Added != 6 || d.Item != "default/p" || d.Queue != "pods" {
		t.Errorf("%+v", d)
	}
}

// TestRetry: an item that comes again by itself came of its last reconcile; one that nothing traced
// led to is not told.
func TestRetry(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	q := newQueue("pods")
	first := reconciledOnce(bus, q)
	q.Added("p") // by a timer
	q.Got("p")
	again := trace.Marked()
	q.Done("p")
	if s, _ := bus.Find(again); s.Cause != first || !s.Details.(*Reconciled).Again {
		t.Errorf("the retry is %+v", s)
	}
	q.Added("stranger")
	q.Got("stranger")
	if trace.Marked() != 0 {
		t.Error("work that nothing traced led to is marked")
	}
	q.Done("stranger")
	if len(q.waiting)+len(q.working) != 0 {
		t.Error("the queue holds items that are done")
	}
}

// TestLater: an item that is added only after a while comes of who asked for that, and not of who has a hand in it when
// its time has come; one that asks for itself comes again.
func TestLater(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	q := newQueue("namespace")
	asked := wrote(bus, 7)
	unmark := trace.Mark(asked)
	cause := q.Later()
	unmark()
	q.Due("ns", []int64{cause, cause}) // by a timer
	q.Added("ns")
	q.Got("ns")
	first := trace.Marked()
	cause = q.Later() // some of it is left
	q.Done("ns")
	if s, _ := bus.Find(first); s.Cause != asked || len(s.Causes) != 0 || s.Details.(*Reconciled).Again {
		t.Errorf("the item is %+v, want it to come of %d", s, asked)
	}
	q.Due("ns", []int64{cause})
	q.Added("ns")
	q.Got("ns")
	again := trace.Marked()
	q.Done("ns")
	if s, _ := bus.Find(again); s.Cause != first || !s.Details.(*Reconciled).Again {
		t.Errorf("the second time is %+v, want it to come of %d", s, first)
	}
	if newQueue("other").Later() != 0 {
		t.Error("an item that nothing traced asks for has a cause")
	}
}

// TestCarried: what a timer does comes of who has set it.
func TestCarried(t *testing.T) {
	bus := trace.New()
	asked, during := wrote(bus, 7), trace.ID(0)
	unmark := trace.Mark(asked)
	f := carry(func() { during = trace.Marked() })
	unmark()
	f()
	if during != asked || trace.Marked() != 0 {
		t.Errorf("done for %d, want %d; after it %d", during, asked, trace.Marked())
	}
}

// TestHandedOn: an item may be taken by one goroutine and worked on by another. What is done then comes of it, and
// neither goroutine keeps anything of it.
func TestHandedOn(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	q := newQueue("noexec_taint_node")
	taken, done := make(chan string), make(chan struct{})
	go func() {
		for item := range taken {
			ended := q.Works(item)
			during := trace.Marked()
			ended()
			q.Done(item)
			if s, ok := bus.Find(during); !ok || s.Details.(*Reconciled).Item != item {
				t.Errorf("%s was worked on for %+v", item, s)
			}
			if s := trace.Marked(); s != 0 {
				t.Errorf("after %s the worker is marked: %d", item, s)
			}
			done <- struct{}{}
		}
	}()
	for _, node := range []string{"node-1", "node-2"} {
		unmark := trace.Mark(wrote(bus, 7))
		q.Added(node)
		unmark()
		q.Got(node)
		taken <- node
		<-done
	}
	close(taken)
}

// TestRecentIsBounded: objects that were handed on are not held for ever.
func TestRecentIsBounded(t *testing.T) {
	var r recent
	for range 3 * len(r.order) {
		r.put(pod("1"), 1)
	}
	if len(r.ids) > len(r.order) {
		t.Errorf("%d objects are held", len(r.ids))
	}
}

// node is as the garbage collector's, which says of itself all that it leads to.
type node struct {
	lock     sync.RWMutex
	identity identity
}

type identity struct {
	metav1.OwnerReference
	Namespace string
}

func (n *node) String() string { return fmt.Sprintf("%#v", n) }

// TestItemName: no address of the program's memory is shown for what an item is.
func TestItemName(t *testing.T) {
	type event struct{ p *int }
	for _, c := range []struct {
		item any
		want string
	}{
		{"default/nginx", "default/nginx"},
		{types.NamespacedName{Namespace: "default", Name: "nginx"}, "default/nginx"},
		{&event{new(int)}, "clienttrace.event"},
		{struct{ ns, name string }{"default", "nginx"}, "default nginx"},
		{struct{ nodeName string }{"node-1"}, "node-1"},
		{&node{identity: identity{metav1.OwnerReference{Kind: "Deployment", Name: "nginx"}, "default"}}, "Deployment default/nginx"},
		{&node{identity: identity{metav1.OwnerReference{Kind: "Node", Name: "node-1"}, ""}}, "Node node-1"},
		{(*event)(nil), "clienttrace.event"},
	} {
		if got := itemName(c.item); got != c.want {
			t.Errorf("%#v is named %q, want %q", c.item, got, c.want)
		}
	}
}

// TestControllersHaveTheirQueues: each queue that is named is one of upstream's, so that an upgrade that
// renames one is noticed.
func TestControllersHaveTheirQueues(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Skipf("where Kubernetes' sources are is not known: %v", err)
	}
	sources := map[string]bool{}
	quoted := regexp.MustCompile(`"[A-Za-z_-]+"`)
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(out)), "pkg", "controller"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, word := range quoted.FindAll(text, -1) {
			sources[strings.Trim(string(word), `"`)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for queue, controller := range controllers {
		if !sources[queue] {
			t.Errorf("no controller has a queue %q, which is to be %s's", queue, controller)
		}
	}
}

// reconciledOnce has an item "p" go through the queue, because of a pod that was written, and is the reconcile's ID.
func reconciledOnce(bus *trace.Bus, q *queue) trace.ID {
	event := pod("7")
	wrote(bus, 7)
	distributed("added", event, 1)
	delivered := delivering(event)
	q.Added("p")
	delivered()
	q.Got("p")
	id := trace.Marked()
	q.Done("p")
	return id
}

// TestReconcilesLinkTheirSync: a reconcile is told with the line of its controller's own function; only a queue of
// none of upstream's controllers, and one whose name two have, with the queue's.
func TestReconcilesLinkTheirSync(t *testing.T) {
	told := func(name string) *trace.Kind {
		bus := trace.New()
		defer Install(bus)()
		s, ok := bus.Find(reconciledOnce(bus, newQueue(name)))
		if !ok {
			t.Fatalf("%s: the reconcile was not told", name)
		}
		return s.Kind
	}
	for queue := range controllers {
		kind := told(queue)
		if file, line := kind.Line(); kind.Name != reconciled.Name || !strings.HasPrefix(file, "pkg/controller/") || line == 0 {
			if queue != "serviceaccount_tokens_service" || kind != reconciled {
				t.Errorf("%s links %s:%d", queue, file, line)
			}
		}
	}
	if kind := told("deployment"); kind.Place.Func != "DeploymentController.syncDeployment" {
		t.Errorf("the Deployment controller's links %s", kind.Place.Func)
	}
	if kind := told("somebody's"); kind != reconciled {
		t.Errorf("a queue that is not known links %s", kind.Place.Func)
	}
	for queue := range syncs {
		if controllers[queue] == "" {
			t.Errorf("%s has a place, and no controller", queue)
		}
	}
}
