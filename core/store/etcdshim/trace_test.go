package etcdshim

import (
	"runtime"
	"testing"
	"weak"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestTheRingHoldsNoTransaction: the step of a write is held for long after it. It holds what it weighs, and not the
// request that wrote.
func TestTheRingHoldsNoTransaction(t *testing.T) {
	bus := trace.New()
	request := func() weak.Pointer[trace.Request] {
		r := &trace.Request{ID: bus.Reserve()}
		h := &handle{trace: bus}
		h.begin(trace.WithRequest(t.Context(), r), "/registry/pods/default/p", 1, 0).end(putKind, true, nil)
		return weak.Make(r)
	}()
	steps, _ := bus.All()
	if len(steps) != 1 {
		t.Fatalf("%d steps are told, want that of the write", len(steps))
	}
	runtime.GC()
	if request.Value() != nil {
		t.Error("the request is held with the step of its write")
	}
	runtime.KeepAlive(steps)
}
