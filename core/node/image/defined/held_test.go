package defined

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// TestAWorkerIsOnTheAccount: what a Worker was measured to hold is its container's, which is killed beyond its limit
// and no other.
func TestAWorkerIsOnTheAccount(t *testing.T) {
	f := &fake{ended: make(chan struct{}), script: func(w *fakeWorker) { w.next(toSignal) }}
	r := NewRunner(f)
	r.patience = calm
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	killed := make(chan struct{})
	cgroup := program.NewCgroup(nil, program.Limits{Memory: 64 << 20}, func() { close(killed); kill() })
	p := &program.Process{Args: []string{"/app"}, Cgroup: cgroup, FS: program.NewFS(t.TempDir()), Net: programtest.Loopback{}}
	code := make(chan int, 1)
	go func() { code <- r.Program(Definition{Module: "https://a/b.js"})(ctx, p) }()
	if err := r.AnyRuns(t.Context()); err != nil {
		t.Fatal(err)
	}
	holds := func(bytes int64) {
		t.Helper()
		r.Holds(1, bytes)
		for begin := time.Now(); cgroup.Memory() != workerMemory+bytes; time.Sleep(time.Millisecond) {
			if time.Since(begin) > time.Minute {
				t.Fatalf("%d bytes are on its account after %d were measured", cgroup.Memory(), bytes)
			}
		}
	}
	holds(10 << 20)
	holds(2 << 20) // what it gave back is given back
	r.Holds(7, 1<<40)
	r.Holds(1, 1<<30)
	<-killed
	if got := <-code; got != exitKilled {
		t.Errorf("it ended with %d", got)
	}
	<-f.ended // its Worker was ended, too
	if got := cgroup.Memory(); got != 0 {
		t.Errorf("%d bytes are still held", got)
	}
}

func TestNothingRuns(t *testing.T) {
	r := NewRunner(&fake{})
	why := errors.New("the page has gone")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	if err := r.AnyRuns(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
	r.Holds(1, 1) // of a Worker that has ended
}
