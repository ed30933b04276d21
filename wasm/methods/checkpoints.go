package methods

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/clusterfile"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Checkpoints gives what remembers the cluster's store, once it is open.
type Checkpoints func(context.Context) (*checkpoint.Checkpoints, error)

type checkpointParams struct {
	ID   int    `json:"id"`
	Why  string `json:"why"`
	Name string `json:"name"`
	// Before is set for one that nobody asked for: the page is about to write.
	Before bool `json:"before"`
	// Of is what it is a step of, such as a lesson.
	Of string `json:"of"`
}

type checkpointsResult struct {
	Checkpoints []checkpoint.Checkpoint `json:"checkpoints"`
	// Kept is whether they outlive the tab; Lost is why not, and what could not be read of those before.
	Kept bool   `json:"kept"`
	Lost string `json:"lost"`
}

// ListCheckpoints serves `checkpoints`: what is remembered, the oldest first.
func ListCheckpoints(await Checkpoints) port.Handler {
	return remembered(await, func(_ context.Context, c *checkpoint.Checkpoints, _ checkpointParams) (any, error) {
		kept, lost := c.Kept()
		return checkpointsResult{c.List(), kept, lost}, nil
	})
}

// TakeCheckpoint serves `takeCheckpoint`, which somebody asked for or which the page takes before it writes.
func TakeCheckpoint(await Checkpoints) port.Handler {
	return remembered(await, func(_ context.Context, c *checkpoint.Checkpoints, p checkpointParams) (any, error) {
		if p.Of != "" {
			return c.TakeStep(p.Of, p.Why)
		}
		return c.Take(p.Why, !p.Before)
	})
}

// CompareCheckpoint serves `compareCheckpoint`: what going back would change.
func CompareCheckpoint(await Checkpoints) port.Handler {
	return remembered(await, func(_ context.Context, c *checkpoint.Checkpoints, p checkpointParams) (any, error) {
		return c.Difference(p.ID)
	})
}

// RestoreCheckpoint serves `restoreCheckpoint`: it goes back, and says what that changed.
func RestoreCheckpoint(await Checkpoints) port.Handler {
	return remembered(await, func(ctx context.Context, c *checkpoint.Checkpoints, p checkpointParams) (any, error) {
		return c.Restore(ctx, p.ID)
	})
}

// CopyCheckpoint serves `copyCheckpoint`: another cluster that goes on from there, with keys of its own.
func CopyCheckpoint(await Checkpoints, of func(context.Context) (Exporting, error), shelf Shelf) port.Handler {
	return remembered(await, func(ctx context.Context, c *checkpoint.Checkpoints, p checkpointParams) (any, error) {
		this, err := of(ctx)
		if err != nil {
			return nil, err
		}
		if err := readable(this); err != nil {
			return nil, err
		}
		state, err := c.State(p.ID)
		if err != nil {
			return nil, err
		}
		sink, err := shelf.Open(ctx, p.Name)
		if err != nil {
			return nil, err
		}
		defer sink.Close()
		return struct{}{}, clusterfile.Copy(sink, state, along(this, shelf))
	})
}

// remembered reads the parameters and waits for the store.
func remembered(await Checkpoints, answer func(context.Context, *checkpoint.Checkpoints, checkpointParams) (any, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p checkpointParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("checkpoints: %w", err)
		}
		all, err := await(ctx)
		if err != nil {
			return nil, fmt.Errorf("checkpoints: %w", err)
		}
		result, err := answer(ctx, all, p)
		if errors.Is(err, checkpoint.ErrNone) {
			return nil, &port.Error{Err: err, Hint: "Look at the list again."}
		}
		return result, err
	}
}
