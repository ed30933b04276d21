package clienttrace

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/trace"
)

var reconciled = trace.Declare(trace.Controllers, "controllers.reconcile", trace.Place{
	Package: "k8s.io/client-go/util/workqueue", Func: "Typed.Get", Text: "q.processing.Insert(item)",
})

// Reconciled are the details of controllers.reconcile.
type Reconciled struct {
	Queue string `json:"queue"`
	Item  string `json:"item"`
	// Controller is upstream's name of the queue's controller, as in kube-controller-manager's
	// --controllers; empty if it is none of its.
	Controller string `json:"controller,omitempty"`
	// Added is how many events asked for it, Waited how long it was queued, in milliseconds.
	Added  int     `json:"added"`
	Waited float64 `json:"waited"`
	// Again is set if the same item was worked on shortly before, and nothing else asked for it:
	// it was tried again, or its time had come.
	Again bool `json:"again,omitempty"`
}

// Weight implements trace.Weigher.
func (r *Reconciled) Weight() int { return 96 + len(r.Item) }

// maxCauses bounds how many events of one item are named.
const maxCauses = 16

// memory is for how long an item that comes again is taken for a retry.
const memory = time.Minute

// maxBefore bounds how many items of a queue are known to have been worked on.
const maxBefore = 256

// queue is one work queue. Its methods are called with the queue's own lock held, but for more than
// one worker at once only by way of that.
type queue struct {
	name string

	mu      sync.Mutex
	waiting map[any]*waiting
	working map[any]*working
	last    map[any]before // told reconciles, for those that come again
}

type waiting struct {
	since  time.Time
	added  int
	causes []trace.ID
}

type working struct {
	id     trace.ID
	begin  time.Time
	waited time.Duration
	of     *waiting
	again  bool
	unmark func()
}

type before struct {
	id trace.ID
	at time.Time
}

func newQueue(name string) *queue {
	return &queue{name: name, waiting: map[any]*waiting{}, working: map[any]*working{}, last: map[any]before{}}
}

// Added is called by whoever adds an item, for each time that it is.
func (q *queue) Added(item any) {
	if installed.Load() == nil {
		return
	}
	cause := trace.Marked()
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waitingFor(item)
	w.added++
	w.because(cause)
}

// Later is what an item comes of that the caller asks to be added later: 0 if nothing that is traced.
func (q *queue) Later() int64 {
	if installed.Load() == nil {
		return 0
	}
	return int64(trace.Marked())
}

// Due is called before an item is added that was to be added later, of these steps.
func (q *queue) Due(item any, causes []int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waitingFor(item)
	for _, cause := range causes {
		w.because(trace.ID(cause))
	}
}

// waitingFor is what is known of an item that waits.
func (q *queue) waitingFor(item any) *waiting {
	w := q.waiting[item]
	if w == nil {
		w = &waiting{since: time.Now()}
		q.waiting[item] = w
	}
	return w
}

// because notes one more cause.
func (w *waiting) because(cause trace.ID) {
	if cause != 0 && len(w.causes) < maxCauses && !slices.Contains(w.causes, cause) {
		w.causes = append(w.causes, cause)
	}
}

// Got is called by the worker that takes an item: what it does from now on is caused by it.
func (q *queue) Got(item any) {
	t := installed.Load()
	if t == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &working{id: t.bus.Reserve(), begin: time.Now(), of: q.waiting[item]}
	delete(q.waiting, item)
	if w.of == nil {
		w.of = &waiting{since: w.begin}
	}
	w.waited = w.begin.Sub(w.of.since)
	if last, ok := q.last[item]; ok {
		switch causes := w.of.causes; {
		case len(causes) == 0:
			if delete(q.last, item); w.begin.Sub(last.at) < memory {
				w.of.causes, w.again = []trace.ID{last.id}, true
			}
		case len(causes) == 1:
			w.again = causes[0] == last.id // it asked for that itself
		}
	}
	q.working[item] = w
	if len(w.of.causes) > 0 {
		w.unmark = trace.Mark(w.id)
		t.reading.begin(w.id)
	}
}

// Works marks the calling goroutine as one that works on an item which another one took, until done is called.
func (q *queue) Works(item any) (done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w := q.working[item]; w != nil && w.unmark != nil {
		return trace.Mark(w.id)
	}
	return func() {}
}

// carry has f, which a timer calls, come of what the caller does.
func carry(f func()) func() {
	id := trace.Marked()
	if id == 0 {
		return f
	}
	return func() {
		defer trace.Mark(id)()
		f()
	}
}

// Done is called by the same worker, or by one that it handed the item to.
func (q *queue) Done(item any) {
	q.mu.Lock()
	w := q.working[item]
	delete(q.working, item)
	t := installed.Load()
	if w == nil || w.unmark == nil || t == nil {
		q.mu.Unlock()
		return // nothing that is traced led to it
	}
	now := time.Now()
	if len(q.last) >= maxBefore {
		q.last = map[any]before{} // not cleared: a map keeps the room that it once had
	}
	q.last[item] = before{w.id, now}
	q.mu.Unlock()
	// Only the goroutine that took the item can be as it was before: this may be another one.
	if trace.Marked() == w.id {
		w.unmark()
	}
	if l := t.reading.end(w.id); l != nil {
		t.bus.Add(trace.Step{
			ID: l.id, At: l.since, Kind: readCache, Component: component(), Cause: w.id,
			Details: &Looked{Queue: q.name, Controller: controllers[q.name], Reads: l.reads, Further: l.further},
		})
	}
	t.bus.Add(trace.Step{
		ID: w.id, At: w.begin, Took: now.Sub(w.begin), Kind: kindOf(q.name), Component: component(),
		Cause: w.of.causes[0], Causes: w.of.causes[1:],
		Details: &Reconciled{
			Queue: q.name, Controller: controllers[q.name], Item: trace.Text(itemName(item)), Added: w.of.added,
			Waited: float64(w.waited.Microseconds()) / 1000, Again: w.again,
		},
	})
}

// itemName says what an item is. Most are a name, or say it; a struct says what it holds, and of one that is a pointer to
// a queue's own only the type means something to a reader.
func itemName(item any) string {
	if name := nodeName(item); name != "" {
		return name
	}
	switch item := item.(type) {
	case string:
		return item
	case fmt.Stringer:
		return item.String()
	}
	v := reflect.ValueOf(item)
	if v.Kind() == reflect.Pointer {
		return v.Type().Elem().String()
	}
	said := fmt.Sprint(item)
	if v.Kind() == reflect.Struct {
		return strings.TrimSuffix(strings.TrimPrefix(said, "{"), "}")
	}
	return said
}

// nodeName is the object of a node of the garbage collector's graph, "Deployment default/nginx", "" of anything else. What
// such a node says of itself is all of the program's memory that it leads to (pkg/controller/garbagecollector/graph.go).
func nodeName(item any) string {
	v := reflect.ValueOf(item)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return ""
	}
	identity := v.Elem().FieldByName("identity")
	if identity.Kind() != reflect.Struct {
		return ""
	}
	text := func(name string) string {
		if field := identity.FieldByName(name); field.Kind() == reflect.String {
			return field.String()
		}
		return ""
	}
	if text("Name") == "" {
		return ""
	}
	name := text("Name")
	if namespace := text("Namespace"); namespace != "" {
		name = namespace + "/" + name
	}
	return strings.TrimSpace(text("Kind") + " " + name)
}
