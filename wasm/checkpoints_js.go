package main

import (
	"context"
	"log"

	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/cluster"
)

// awaitCheckpoints returns when the store is open.
func (t *tab) awaitCheckpoints(ctx context.Context) (*checkpoint.Checkpoints, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	if err := await(ctx, t.cluster.Done(cluster.StepStore)); err != nil {
		return nil, err
	}
	return t.checkpoints(), nil
}

// beforeKubectl takes a checkpoint before a command that may write. Before the API server serves there is nothing that
// such a command could do.
func (t *tab) beforeKubectl(args []string) {
	select {
	case <-t.apiUp:
	default:
		return
	}
	if !checkpoint.MayWrite(args) {
		return
	}
	if _, err := t.checkpoints().Take(checkpoint.Line(args), false); err != nil {
		log.Printf("tabernetes: %v", err) // what was typed goes on
	}
}
