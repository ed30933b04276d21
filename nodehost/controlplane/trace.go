package controlplane

import (
	"context"
	"fmt"
	"os"

	"github.com/tabernetes/tabernetes/core/trace"
)

// writeTrace writes each step of a bus to a file as a line of JSON, with its details, until ctx is done.
// The file is made anew.
func writeTrace(ctx context.Context, bus *trace.Bus, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the trace: %w", err)
	}
	defer file.Close()
	view := bus.View(false)
	defer view.Close()
	for {
		batch, err := view.Next(ctx, 256)
		if err != nil {
			return nil // ctx is done
		}
		for i := range batch.Steps {
			if _, err := file.Write(append(batch.Steps[i].JSON(true), '\n')); err != nil {
				return fmt.Errorf("write the trace: %w", err)
			}
		}
	}
}
