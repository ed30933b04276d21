package methods

import (
	"context"
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Audit serves `audit`: what an audit policy has recorded, and what it records from then on, a line of JSON each.
// While the page does not read, the call waits, and the ring goes on without it.
func Audit(await func(context.Context) (*apiserver.AuditRing, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		ring, err := await(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the audit: %w", err)
		}
		c.Rest()
		out := c.Output("body")
		for number := int64(0); ; {
			lines, next, missed, more := ring.Since(number)
			if missed > 0 && number > 0 { // what went before the first look is not missed
				if _, err := fmt.Fprintf(out, "{\"missed\":%d}\n", missed); err != nil {
					return nil, fmt.Errorf("read the audit: %w", err)
				}
			}
			for _, line := range lines {
				if _, err := fmt.Fprintf(out, "{\"event\":%s}\n", line); err != nil {
					return nil, fmt.Errorf("read the audit: %w", err)
				}
			}
			number = next
			if err := c.Flush(); err != nil {
				return nil, fmt.Errorf("read the audit: %w", err)
			}
			select {
			case <-more:
			case <-ctx.Done():
				return nil, fmt.Errorf("read the audit: %w", context.Cause(ctx))
			}
			select {
			case <-time.After(gather):
			case <-ctx.Done():
			}
		}
	}
}
