package jsx

import (
	"context"
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/wasm/goroot"
)

// GiveTurns lets JavaScript deliver its events at least every interval while goroutines are
// busy, until ctx is done. Without it a message from the page waits until every goroutine is
// idle, which during the start of a cluster is seconds.
//
// A turn costs some 0.1 ms: a message to ourselves is the event that calls into Go again, after
// those that were there first.
func GiveTurns(ctx context.Context, interval time.Duration) error {
	near, far, err := Channel()
	if err != nil {
		return fmt.Errorf("give turns: %w", err)
	}
	came := make(chan struct{}, 1)
	port, err := NewMessagePort("end of turn", near, func(Value) {
		select {
		case came <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return fmt.Errorf("give turns: %w", err)
	}
	defer port.Close()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if _, err := far.Call("postMessage", 0); err != nil {
			return fmt.Errorf("give turns: %w", err)
		}
		goroot.HostTurn()
		select {
		case <-came:
		case <-ctx.Done():
			return nil
		}
	}
}
