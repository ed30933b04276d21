package methods

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/core/node/image/defined"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// measuredOrder is what the page has measured.
type measuredOrder struct {
	Workers []measuredWorker `json:"workers"`
}

type measuredWorker struct {
	Number uint32 `json:"number"`
	Bytes  int64  `json:"bytes"`
}

// betweenMeasurements is from the end of one to the next question. A browser collects its garbage for each, and takes
// ten seconds and more by itself.
const betweenMeasurements = time.Second

// MeasureContainers serves `measureContainers`: the page is asked what the Workers of containers hold while there are
// any, as only a page can ask its browser.
func MeasureContainers(runner *defined.Runner) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		c.Rest()
		for {
			err := runner.AnyRuns(ctx)
			if err == nil {
				err = c.Event(struct{}{})
			}
			var order json.RawMessage
			if err == nil {
				select {
				case order = <-c.Orders():
				case <-ctx.Done():
					err = context.Cause(ctx)
				}
			}
			var measured measuredOrder
			if err == nil {
				err = json.Unmarshal(order, &measured)
			}
			if err != nil {
				return nil, fmt.Errorf("measure what containers hold: %w", err)
			}
			for _, w := range measured.Workers {
				runner.Holds(w.Number, max(w.Bytes, 0))
			}
			select {
			case <-time.After(betweenMeasurements):
			case <-ctx.Done():
			}
		}
	}
}
