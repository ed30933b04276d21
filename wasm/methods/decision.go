package methods

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/scheduler/decision"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Scheduling knows what the scheduler decided; *cluster.Cluster does. It is nil before the scheduler
// is made.
type Scheduling interface{ Decisions() *decision.Decisions }

var _ Scheduling = (*cluster.Cluster)(nil)

type decisionParams struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Decision serves `decision`: the last attempt of the scheduler at a pod, nodes by plugins.
func Decision(scheduling func(context.Context) (Scheduling, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p decisionParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("decision: %w", err)
		}
		d, err := decisions(ctx, scheduling)
		if err != nil {
			return nil, fmt.Errorf("decision: %w", err)
		}
		latest := d.Latest(p.Namespace, p.Name)
		if latest == nil {
			return nil, &port.Error{
				Err:  fmt.Errorf("nothing is kept of a decision about pod %.100q", p.Namespace+"/"+p.Name),
				Hint: "The scheduler has not tried it (it may be gated, name its node itself, or ask for another scheduler), or has tried many others since.",
			}
		}
		return latest, nil
	}
}

type askPluginParams struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Node      string `json:"node"`
	Plugin    string `json:"plugin"`
}

// AskPlugin serves `askPlugin`: what a plugin says of a pod and a node now, which nobody had asked it.
func AskPlugin(scheduling func(context.Context) (Scheduling, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p askPluginParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("askPlugin: %w", err)
		}
		d, err := decisions(ctx, scheduling)
		if err != nil {
			return nil, fmt.Errorf("askPlugin: %w", err)
		}
		return d.Ask(ctx, p.Namespace, p.Name, p.Node, p.Plugin)
	}
}

func decisions(ctx context.Context, scheduling func(context.Context) (Scheduling, error)) (*decision.Decisions, error) {
	s, err := scheduling(ctx)
	if err != nil {
		return nil, err
	}
	if d := s.Decisions(); d != nil {
		return d, nil
	}
	return nil, errors.New("the scheduler has not started yet; try again in a moment")
}
