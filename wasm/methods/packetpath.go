package methods

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/packetpath"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Paths knows the ways between pods; *cluster.Cluster does.
type Paths interface {
	PacketPath(ctx context.Context, from, to cluster.PodName) (*packetpath.Path, error)
}

var _ Paths = (*cluster.Cluster)(nil)

type packetPathParams struct {
	From podParams `json:"from"`
	To   podParams `json:"to"`
}

type podParams struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// PacketPath serves `packetPath`: each hop from one pod to another.
func PacketPath(paths func(context.Context) (Paths, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p packetPathParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("packetPath: %w", err)
		}
		k, err := paths(ctx)
		if err != nil {
			return nil, fmt.Errorf("packetPath: %w", err)
		}
		return k.PacketPath(ctx, cluster.PodName(p.From), cluster.PodName(p.To))
	}
}
