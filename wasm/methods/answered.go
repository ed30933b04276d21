package methods

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Answering tells where connections have ended; *cluster.Cluster does.
type Answering interface {
	Answered(ctx context.Context, tell func(map[netip.Addr]int) error) error
}

var _ Answering = (*cluster.Cluster)(nil)

// Answered serves `answered`: which addresses answer, as long as the call lasts.
func Answered(await func(context.Context) (Answering, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		c.Rest()
		who, err := await(ctx)
		if err == nil {
			err = who.Answered(ctx, func(counts map[netip.Addr]int) error {
				said := make(map[string]int, len(counts))
				for at, n := range counts {
					said[at.String()] = n
				}
				return c.Event(map[string]any{"endpoints": said})
			})
		}
		return nil, fmt.Errorf("hear who answers: %w", err)
	}
}
