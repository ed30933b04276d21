package etcdshim

import (
	"runtime"
	"testing"
	"weak"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
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

// TestWatchesAreToldOfWhileSomebodyIsThere: that a watch was told of a write is told while somebody reads, or has typed
// a command, and not where nobody is.
func TestWatchesAreToldOfWhileSomebodyIsThere(t *testing.T) {
	bus := trace.New()
	h := &handle{trace: bus}
	// told is how many steps it makes that a watch is told of a write.
	told := func() int {
		before, _ := bus.All()
		id := bus.Reserve()
		bus.Wrote(id, int64(id), "", "")
		h.told("/registry/pods/", []mvcc.Change{{KV: mvcc.KV{Key: "/registry/pods/default/p", ModRevision: int64(id)}}})
		after, _ := bus.All()
		return len(after) - len(before)
	}
	if n := told(); n != 0 {
		t.Errorf("%d steps while nobody is there, want none", n)
	}
	v := bus.View(true)
	if n := told(); n != 1 {
		t.Errorf("%d steps while somebody reads, want 1", n)
	}
	v.Close()
	if n := told(); n != 0 {
		t.Errorf("%d steps while nobody reads any more, want none", n)
	}
	bus.Audit(bus.Reserve())
	if n := told(); n != 1 {
		t.Errorf("%d steps after a command was typed, want 1", n)
	}
}
