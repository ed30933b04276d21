package clienttrace

import (
	"time"

	"github.com/tabernetes/tabernetes/core/trace"
)

var batched = trace.Declare(trace.Controllers, "controllers.batch", trace.Place{
	Package: "k8s.io/kubernetes/pkg/controller/replicaset", Func: "slowStartBatch", Text: "for batchSize := min(remaining, initialBatchSize); batchSize > 0; batchSize = min(2*batchSize, remaining) {",
})

// Batched are the details of controllers.batch: pods that are created together. A batch is twice as large
// as the one before, so that what refuses all of them refuses few.
type Batched struct {
	Size int `json:"size"`
	// Remaining is how many were to be created when it began, itself among them.
	Remaining int `json:"remaining"`
	// Most is how many one sync of the controller creates, however many are wanted.
	Most int `json:"most"`
	// Failed ends it all: no other batch follows.
	Failed int `json:"failed,omitempty"`
}

// Batch is called by a controller's worker that begins a batch, and what it returns when all of the batch
// has been tried, by the same goroutine. Requests of goroutines that are started in between are caused by
// the batch. It tells of work that is traced only.
func Batch(size, remaining, most int) (ended func(failed int)) {
	t, cause := installed.Load(), trace.Marked()
	if t == nil || cause == 0 {
		return func(int) {}
	}
	id, began := t.bus.Reserve(), time.Now()
	unmark := trace.Mark(id)
	return func(failed int) {
		unmark()
		t.bus.Add(trace.Step{
			ID: id, At: began, Took: time.Since(began), Kind: batched, Component: component(), Cause: cause,
			Details: &Batched{Size: size, Remaining: remaining, Most: most, Failed: failed},
		})
	}
}
