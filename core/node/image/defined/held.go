package defined

import (
	"context"
	"sync"
)

// held has, of each Worker that runs, where what it holds is told to its container.
type held struct {
	mu      sync.Mutex
	last    uint32
	workers map[uint32]chan int64 // by number; each has room for the newest figure
	begun   chan struct{}         // closed and made anew when a Worker begins
}

// begin gives a container's Worker its number.
func (h *held) begin() (number uint32, figures <-chan int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	to := make(chan int64, 1)
	h.workers[h.last] = to
	close(h.begun)
	h.begun = make(chan struct{})
	return h.last, to
}

func (h *held) end(number uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.workers, number)
}

// Holds is told that the Worker with that number holds so many bytes, by who can measure it. A number that no Worker
// has, any more, is passed over.
func (r *Runner) Holds(number uint32, bytes int64) {
	r.held.mu.Lock()
	defer r.held.mu.Unlock()
	to := r.held.workers[number]
	if to == nil {
		return
	}
	select {
	case <-to: // an older figure, which nobody has read
	default:
	}
	to <- bytes // nobody else writes to it
}

// AnyRuns waits until a Worker runs. The error is ctx's.
func (r *Runner) AnyRuns(ctx context.Context) error {
	for {
		r.held.mu.Lock()
		runs, begun := len(r.held.workers) > 0, r.held.begun
		r.held.mu.Unlock()
		if runs {
			return nil
		}
		select {
		case <-begun:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
