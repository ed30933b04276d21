package methods

import (
	"context"
	"fmt"
	"math"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Nodes is what the page may do to the in-tab nodes; *cluster.Cluster does it.
type Nodes interface {
	AddSizedNode(ctx context.Context, cores, memoryBytes, diskBytes int64) (string, error)
	StopNode(name string) error
	HealNode(name string) error
	ShutdownNode(ctx context.Context, name string) error
	RemoveNode(ctx context.Context, name string) error
	Nodes() []cluster.NodeStatus
}

var _ Nodes = (*cluster.Cluster)(nil)

type nodesParams struct {
	Action string `json:"action"` // "list", "add", "stop", "shutdown", "heal", "remove"
	Name   string `json:"name"`
	CPU    int64  `json:"cpu"`    // whole cores of a node to be added; 0: as the others
	Memory int64  `json:"memory"` // MiB of a node to be added; 0: as the others
	Disk   int64  `json:"disk"`   // MiB of a node to be added; 0: as the others
}

type nodesResult struct {
	// Name is the node's that was added.
	Name  string       `json:"name,omitempty"`
	Nodes []nodeStatus `json:"nodes"`
}

type nodeStatus struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// ManageNodes serves `nodes`: it adds, stops, shuts down, heals and removes in-tab nodes, and lists them.
func ManageNodes(nodes func(context.Context) (Nodes, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p nodesParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("nodes: %w", err)
		}
		n, err := nodes(ctx)
		if err != nil {
			return nil, fmt.Errorf("nodes: %w", err)
		}
		result := nodesResult{Nodes: []nodeStatus{}}
		switch p.Action {
		case "list":
		case "add":
			if most := int64(math.MaxInt64 >> 20); p.Memory > most || p.Disk > most || p.Memory < 0 || p.Disk < 0 {
				return nil, fmt.Errorf("nodes: a node of %d MiB of memory and %d MiB of disk cannot be made", p.Memory, p.Disk)
			}
			result.Name, err = n.AddSizedNode(ctx, p.CPU, p.Memory<<20, p.Disk<<20)
		case "stop":
			err = n.StopNode(p.Name)
		case "shutdown":
			err = n.ShutdownNode(ctx, p.Name)
		case "heal":
			err = n.HealNode(p.Name)
		case "remove":
			err = n.RemoveNode(ctx, p.Name)
		default:
			err = fmt.Errorf("nodes: there is no action %q", p.Action)
		}
		if err != nil {
			return nil, err
		}
		for _, s := range n.Nodes() {
			result.Nodes = append(result.Nodes, nodeStatus{s.Name, string(s.State)})
		}
		return result, nil
	}
}
