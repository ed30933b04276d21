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
			if other, placed := d.Elsewhere(p.Namespace, p.Name); other != "" {
				return nil, othersDecision(p, other, placed)
			}
			return nil, &port.Error{
				Err:  fmt.Errorf("nothing is kept of a decision about pod %.100q", p.Namespace+"/"+p.Name),
				Hint: "The scheduler has not tried it (it may be gated, or name its node itself), or has tried many others since.",
			}
		}
		return latest, nil
	}
}

// othersDecision says whose decision it is, of a pod that the cluster's own scheduler leaves alone, and where to read it.
func othersDecision(pod decisionParams, scheduler string, placed bool) error {
	is := "waits for another scheduler"
	if placed {
		is = "was placed by another scheduler, or names its node itself"
	}
	return &port.Error{
		Err: fmt.Errorf("pod %.100q %s: its spec.schedulerName is %.100q, not the cluster's own", pod.Namespace+"/"+pod.Name, is, scheduler),
		Hint: fmt.Sprintf("Its reasons are in that scheduler's own log: kubectl logs, of the pod in which it runs. What it said of the pod are events from %.100q: "+
			"kubectl describe pod. If no scheduler of that name runs, nobody gives the pod a node.", scheduler),
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
