package cluster_test

import (
	"context"
	"os"
	"time"
)

// viewed, set to anything, has somebody read the trace with all details, as the page does while one of
// its views of the trace is open.
const viewed = "TABERNETES_TEST_VIEWED"

// view reads the bus until ctx is done, if that is wanted.
func view(ctx context.Context) {
	if os.Getenv(viewed) == "" {
		return
	}
	v := bus.View(false)
	go func() {
		defer v.Close()
		for {
			batch, err := v.Next(ctx, 256)
			if err != nil {
				return
			}
			for i := range batch.Steps {
				_ = batch.Steps[i].JSON(true)
			}
			time.Sleep(20 * time.Millisecond) // as wasm/methods gathers
		}
	}()
}
