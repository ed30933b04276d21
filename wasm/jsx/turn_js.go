package jsx

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/wasm/goroot"
)

// Turns lets JavaScript deliver its events while goroutines are busy. Without it a message from
// the page waits until every goroutine is idle, which during the start of a cluster is seconds.
//
// A turn costs some 0.1 ms: a message to ourselves is the event that calls into Go again, after
// those that were there first.
type Turns struct {
	// Two ports by turns: Node serves a port until its queue is empty, so that one which is
	// posted to in every turn would keep all others waiting.
	ports [2]*MessagePort
	far   [2]Value
	next  int
	came  chan struct{}
	mu    sync.Mutex // held while a turn is given
}

// NewTurns makes ready. It must be called before anything else is busy: it waits for a first
// event, which comes when the program is idle.
func NewTurns(ctx context.Context) (*Turns, error) {
	t := &Turns{came: make(chan struct{}, 1)}
	for i := range t.ports {
		near, far, err := Channel()
		if err != nil {
			return nil, fmt.Errorf("give turns: %w", err)
		}
		t.far[i] = far
		SetRole(near, map[string]any{"kind": "near", "channel": i})
		SetRole(far, map[string]any{"kind": "far", "channel": i})
		if t.ports[i], err = NewMessagePort("end of turn", near, func(Value) {
			select {
			case t.came <- struct{}{}:
			default:
			}
		}); err != nil {
			return nil, fmt.Errorf("give turns: %w", err)
		}
	}
	if err := t.post(); err != nil {
		return nil, err
	}
	select {
	case <-t.came:
		return t, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("give turns: %w", context.Cause(ctx))
	}
}

func (t *Turns) post() error {
	if _, err := t.far[t.next].Call("postMessage", 0); err != nil {
		return fmt.Errorf("give turns: %w", err)
	}
	t.next = 1 - t.next
	return nil
}

// idleMost is how long at most an idle program looks whether it has become busy: each look wakes it up.
const idleMost = 60 * time.Millisecond

// Give gives a turn whenever Go has run for an interval, until ctx is done. A program that is idle gives turns by itself.
func (t *Turns) Give(ctx context.Context, interval time.Duration) error {
	defer t.close()
	timer := time.NewTimer(interval)
	defer timer.Stop()
	underway, wait := false, interval
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if ran := goroot.SinceHost(); underway || ran >= interval {
			if err := t.give(&underway); err != nil {
				return err
			}
			wait = interval
		} else if ran < time.Millisecond { // nothing ran before this timer
			wait = min(2*wait, max(idleMost, interval))
		} else {
			wait = interval - ran
		}
		timer.Reset(wait)
	}
}

// give gives a turn; underway is set while ours has not come.
func (t *Turns) give(underway *bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !*underway {
		if err := t.post(); err != nil {
			return err
		}
	}
	*underway = !t.drain()
	return nil
}

// Hold gives no turns until Go is called: JavaScript then runs only when every goroutine is idle.
func (t *Turns) Hold() { t.mu.Lock() }

// Go gives them again.
func (t *Turns) Go() { t.mu.Unlock() }

func (t *Turns) close() {
	for _, p := range t.ports {
		p.Close()
	}
}

// drain gives a turn for each event that waits, until ours has come. It reports false if that
// has to wait: a callback is running, or Go is about to be idle anyway.
//
// It must look before each turn: one with no event to end it would be the program's last.
func (t *Turns) drain() bool {
	for {
		select {
		case <-t.came:
			return true
		default:
		}
		if !goroot.HostTurn() {
			return false
		}
		runtime.Gosched()
	}
}
