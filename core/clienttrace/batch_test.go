package clienttrace

import (
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestBatchesAreTheCause: what goroutines of a batch do is caused by it, it by the work item, and the work
// item's worker is marked as before when it has ended.
func TestBatchesAreTheCause(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	Batch(1, 1, 500)(0)
	if steps, _ := bus.All(); len(steps) != 0 {
		t.Error("a batch of work that is not traced is told")
	}
	work := bus.Add(trace.Step{Kind: testKind})
	defer trace.Mark(work)()
	for _, size := range []int{1, 2} {
		ended := Batch(size, 3, 500)
		causes := make([]trace.ID, size)
		var all sync.WaitGroup
		for i := range causes {
			all.Go(func() { causes[i] = trace.Marked() })
		}
		all.Wait()
		ended(size - 1)
		for _, cause := range causes {
			s, ok := bus.Find(cause)
			if !ok || s.Cause != work || *s.Details.(*Batched) != (Batched{Size: size, Remaining: 3, Most: 500, Failed: size - 1}) {
				t.Errorf("batch of %d: %+v", size, s)
			}
		}
		if trace.Marked() != work {
			t.Error("the worker is marked otherwise after a batch")
		}
	}
}
