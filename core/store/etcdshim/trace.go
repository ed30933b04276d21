package etcdshim

import (
	"context"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/trace"
)

// What is told of the store, for requests that are traced.
var (
	putKind = trace.Declare(trace.Etcd, "etcd.put", trace.Place{
		Package: "k8s.io/apiserver/pkg/storage/etcd3", Func: "store.Create", Text: "s.client.Kubernetes.OptimisticPut(",
	})
	// Upstream asks for what is there instead of its own only where it updates.
	updateKind = putKind.Where("update", trace.Place{
		Package: "k8s.io/apiserver/pkg/storage/etcd3", Func: "store.GuaranteedUpdate", Text: "s.client.Kubernetes.OptimisticPut(",
	})
	deleteKind = trace.Declare(trace.Etcd, "etcd.delete", trace.Place{
		Package: "k8s.io/apiserver/pkg/storage/etcd3", Func: "store.conditionalDelete", Text: "s.client.Kubernetes.OptimisticDelete(",
	})
	watchedKind = trace.Declare(trace.Etcd, "etcd.watched", trace.Place{
		Package: "k8s.io/apiserver/pkg/storage/etcd3", Func: "watchChan.startWatching", Text: "for wres := range wch {",
	})
)

// Written are the details of etcd.put and etcd.delete. The value is not among them.
type Written struct {
	Key      string `json:"key"`
	Revision int64  `json:"revision,omitempty"`
	// Previous is the revision that was expected and found; 0 if there was to be no such key.
	Previous int64 `json:"previous,omitempty"`
	Bytes    int   `json:"bytes,omitempty"`
	// Succeeded is false if another revision was found than the one expected.
	Succeeded bool   `json:"succeeded"`
	Error     string `json:"error,omitempty"`
}

// Weight implements trace.Weigher.
func (w *Written) Weight() int { return 64 + len(w.Key) + len(w.Error) }

// Told are the details of etcd.watched.
type Told struct {
	Key      string `json:"key"`
	Watch    string `json:"watch"`
	Revision int64  `json:"revision"`
	// Lag is how long after the write the watch was told, in milliseconds.
	Lag float64 `json:"lag"`
}

// transaction is one write of a request that is traced; nil is of one that is not.
type transaction struct {
	bus     *trace.Bus
	request *trace.Request
	id      trace.ID
	object  trace.Object
	begin   time.Time
	details *Written // by itself: the ring holds it for long after the request
}

func (h *handle) begin(ctx context.Context, key string, size int, expected int64) *transaction {
	request := trace.RequestOf(ctx)
	if request == nil {
		return nil
	}
	t := &transaction{
		bus: h.trace, request: request, id: h.trace.Reserve(), begin: time.Now(),
		details: &Written{Key: key, Bytes: size, Previous: expected},
	}
	about := request.Object()
	if o, found := about.At(key); found {
		t.object = o
		// A request may be about another object of the same name, which has no UID: an Eviction. What is written is
		// the one that was there.
		if o.UID == "" {
			t.object.UID = h.trace.UIDAt(expected)
		}
	}
	return t
}

// writes is called inside the transaction that has changed something: nobody has been told yet, so
// that whoever is will find who wrote it.
func (t *transaction) writes(tx *mvcc.Tx) {
	if t == nil {
		return
	}
	t.details.Revision = tx.Revision()
	var objectKey string
	if t.object.Name != "" {
		t.object.ResourceVersion = strconv.FormatInt(t.details.Revision, 10)
		objectKey = t.object.Key()
	}
	t.bus.Wrote(t.id, t.details.Revision, t.object.UID, objectKey)
}

func (t *transaction) end(kind *trace.Kind, succeeded bool, err error) {
	if t == nil {
		return
	}
	if t.details.Succeeded = succeeded; err != nil {
		t.details.Error = trace.Text(err.Error())
	}
	if succeeded && t.object.Name != "" {
		t.request.Learn(func(o *trace.Object) {
			if o.Name == t.object.Name { // a collection has no version
				o.ResourceVersion = t.object.ResourceVersion
			}
		})
	}
	t.bus.Add(trace.Step{
		ID: t.id, At: t.begin, Took: time.Since(t.begin), Kind: kind, Component: "etcd",
		Object: t.object, Cause: t.request.ID, Details: t.details,
	})
}

// told tells which watch was told of which traced writes, while somebody is there.
func (h *handle) told(watch string, events []mvcc.Change) {
	if h.trace == nil || !h.trace.Attended(time.Now()) {
		return
	}
	for i := range events {
		c := &events[i]
		cause, ago := h.trace.Made(c.KV.ModRevision)
		if cause == 0 {
			continue
		}
		h.trace.Add(trace.Step{
			Kind: watchedKind, Component: "etcd", Cause: cause,
			Details: &Told{Key: c.KV.Key, Watch: watch, Revision: c.KV.ModRevision, Lag: float64(ago.Microseconds()) / 1000},
		})
	}
}
