package cluster_test

import (
	"context"
	"os"
	"time"
)

// viewed has somebody read the trace: in brief, as the page does, or with all details if it is "whole".
const viewed = "TABERNETES_TEST_VIEWED"

// view reads the bus until ctx is done, if that is wanted.
func view(ctx context.Context) {
	if os.Getenv(viewed) == "" {
		return
	}
	whole := os.Getenv(viewed) == "whole"
	v := bus.View(false)
	go func() {
		defer v.Close()
		for {
			batch, err := v.Next(ctx, 256)
			if err != nil {
				return
			}
			for i := range batch.Steps {
				if whole {
					_ = batch.Steps[i].JSON(true)
				} else {
					_ = batch.Steps[i].BriefJSON()
				}
			}
			time.Sleep(50 * time.Millisecond) // as wasm/methods gathers
		}
	}()
}
