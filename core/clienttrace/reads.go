package clienttrace

import (
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/tabernetes/tabernetes/core/trace"
)

var readCache = trace.Declare(trace.Controllers, "controllers.read", trace.Place{
	Package: "k8s.io/client-go/tools/cache", Func: "ListAllByNamespace", Text: "items, err := indexer.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: namespace})",
})

// Looked are the details of controllers.read: what a worker read of its informers' caches while it worked on
// an item. No request is made for it.
type Looked struct {
	Queue      string `json:"queue"`
	Controller string `json:"controller,omitempty"`
	Reads      []Read `json:"reads"`
	// Further is how many more there were.
	Further int `json:"further,omitempty"`
}

// Read is one reading of a cache.
type Read struct {
	// Type is Go's of what the cache holds: "v1.Pod".
	Type string `json:"type"`
	// By is "key", "selector" or the name of an index, and Of what was asked for: a key, a namespace and a
	// selector with a slash between, or the index's value.
	By string `json:"by"`
	Of string `json:"of"`
	// Found is how many there were, Names the first of them.
	Found int      `json:"found"`
	Names []string `json:"names,omitempty"`
	// Times is how often the same was asked for with the same answer, if more than once.
	Times int `json:"times,omitempty"`
	// Which is there in brief, in the place of Of: the kind of the owner whose they are, "nobody" for those that have
	// none, "labels", or "namespace" for all in one.
	Which string `json:"which,omitempty"`
}

// which is Of in a word; "" for all that there are, and where it says no more than By.
func (r *Read) which() string {
	before, after, _ := strings.Cut(r.Of, "/")
	switch {
	case byOwner[r.By] && after == "":
		return "nobody"
	case byOwner[r.By]:
		kind, _, _ := strings.Cut(after, "/")
		return kind
	case r.By == "selector" && after != "":
		return "labels"
	case r.By == "selector" && before != "":
		return "namespace"
	}
	return ""
}

// Weight implements trace.Weigher.
func (l *Looked) Weight() int {
	n := 96
	for i := range l.Reads {
		n += 112 + len(l.Reads[i].Of)
		for _, name := range l.Reads[i].Names {
			n += 16 + len(name)
		}
	}
	return n
}

// Brief implements trace.Briefer: the first lists, which say what there is; keys are of what is known.
func (l *Looked) Brief() any {
	brief := struct {
		Queue      string `json:"queue"`
		Controller string `json:"controller,omitempty"`
		Reads      []Read `json:"reads"`
		Count      int    `json:"count"`
	}{l.Queue, l.Controller, nil, len(l.Reads) + l.Further}
	for _, list := range []bool{true, false} {
		for _, r := range l.Reads {
			if len(brief.Reads) < 2 && (r.By != byKey) == list {
				brief.Reads = append(brief.Reads, Read{Type: r.Type, By: r.By, Found: r.Found, Which: r.which()})
			}
		}
	}
	return &brief
}

// byKey is what Read.By says of one object.
const byKey = "key"

// byOwner is what Read.By says where those of an owner are asked for: the key is a namespace, with the owner's kind, name
// and UID behind it unless nobody's are meant (k8s.io/kubernetes/pkg/controller, PodControllerIndex, and
// pkg/controller/history, ControllerRevisionControllerIndex).
var byOwner = map[string]bool{"podController": true, "controllerRevisionController": true}

// maxReads bounds what is kept of one reconcile.
const maxReads = 16

// reading are the reconciles that are under way and told of.
type reading struct {
	mu sync.Mutex
	of map[trace.ID]*looking
}

// looking is what one reconcile has read.
type looking struct {
	id      trace.ID  // of the step that tells of it
	since   time.Time // the first
	reads   []Read
	further int
}

func (r *reading) begin(id trace.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[trace.ID]*looking{}
	}
	r.of[id] = &looking{}
}

// end gives what was read, nil if nothing was.
func (r *reading) end(id trace.ID) *looking {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.of[id]
	delete(r.of, id)
	if l == nil || len(l.reads) == 0 {
		return nil
	}
	return l
}

// reads is called by whoever reads an informer's cache. It returns nil unless the caller works on an item
// that is told of.
func reads() (tell func(kind, by, what string, first []any, n int)) {
	t := installed.Load()
	if t == nil {
		return nil
	}
	id := trace.Marked()
	if id == 0 {
		return nil
	}
	t.reading.mu.Lock()
	defer t.reading.mu.Unlock()
	l := t.reading.of[id]
	if l == nil {
		return nil
	}
	return func(kind, by, what string, first []any, n int) {
		r := Read{Type: strings.TrimPrefix(kind, "*"), By: trace.Text(by), Of: trace.Text(what), Found: n, Names: namesOf(first)}
		t.reading.mu.Lock()
		defer t.reading.mu.Unlock()
		if len(l.reads) == 0 {
			l.id = t.bus.Reserve() // what comes of it, a batch of pods, begins later
		}
		l.add(r, time.Now())
	}
}

func (l *looking) add(r Read, now time.Time) {
	if len(l.reads) == 0 {
		l.since = now
	}
	for i := range l.reads {
		if known := &l.reads[i]; known.Type == r.Type && known.By == r.By && known.Of == r.Of && known.Found == r.Found {
			known.Times = max(known.Times, 1) + 1
			return
		}
	}
	if len(l.reads) == maxReads {
		l.further++
		return
	}
	l.reads = append(l.reads, r)
}

func namesOf(objects []any) (names []string) {
	for _, object := range objects {
		if m, err := meta.Accessor(object); err == nil {
			names = append(names, trace.Text(m.GetName()))
		}
	}
	return names
}
