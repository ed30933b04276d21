package tunnel

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestADialIsGivenUp after dialTime of attention, and says why.
func TestADialIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{Dial: func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}}
		began := time.Now()
		err := c.attempt(t.Context(), func(State) {})
		if took := time.Since(began); took != dialTime || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %s: %v", took, err)
		}
	})
}
