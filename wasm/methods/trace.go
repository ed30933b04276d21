package methods

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/core/version"
	"github.com/tabernetes/tabernetes/wasm/port"
)

type traceParams struct {
	OnlyNew bool `json:"onlyNew"`
	// Details asks for those of each step; else for what a list says of it.
	Details bool `json:"details"`
}

// traceBatch is how many steps are put together at most before the page gets them.
const traceBatch = 256

// gather is how long steps are gathered after some were sent: one by one each would be a message, and a turn
// of both sides. The page draws every 150 ms at most (web/journey).
const gather = 50 * time.Millisecond

// Trace serves `trace`: steps as they come, a line of JSON each. While the page does not read, the
// call waits, and the ring goes on without it.
func Trace(bus *trace.Bus) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p traceParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		c.Rest()
		viewer := bus.View(p.OnlyNew)
		defer viewer.Close()
		out := c.Output("body")
		for {
			batch, err := viewer.Next(ctx, traceBatch)
			if err != nil {
				return nil, fmt.Errorf("trace: %w", err)
			}
			if err := writeLines(out, batch, p.Details); err != nil {
				return nil, fmt.Errorf("trace: %w", err)
			}
			if err := c.Flush(); err != nil {
				return nil, fmt.Errorf("trace: %w", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(gather):
			}
		}
	}
}

func writeLines(out io.Writer, batch trace.Batch, details bool) error {
	if batch.Missed > 0 {
		if _, err := fmt.Fprintf(out, "{\"missed\":%d}\n", batch.Missed); err != nil {
			return err
		}
	}
	var line []byte
	for i := range batch.Steps {
		line = append(line, `{"step":`...)
		if details {
			line = append(line, batch.Steps[i].JSON(true)...)
		} else {
			line = append(line, batch.Steps[i].BriefJSON()...)
		}
		if line = append(line, "}\n"...); len(line) < chunk && i < len(batch.Steps)-1 {
			continue
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// chunk is about how many bytes are handed over at once.
const chunk = 32 << 10

type stepParams struct {
	ID trace.ID `json:"id"`
}

// Step serves `step`: one step with its details, which are made now.
func Step(bus *trace.Bus) port.Handler {
	return func(_ context.Context, c *port.Call) (any, error) {
		var p stepParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("step: %w", err)
		}
		s, ok := bus.Find(p.ID)
		if !ok {
			return nil, &port.Error{
				Err:  fmt.Errorf("step %d is not held any more", p.ID),
				Hint: fmt.Sprintf("The last %d steps are kept. Export the trace to keep it longer.", trace.MaxSteps),
			}
		}
		return json.RawMessage(s.JSON(true)), nil
	}
}

type kindsResult struct {
	// Version is Kubernetes', "v1.36.3".
	Version string      `json:"version"`
	Kinds   []traceKind `json:"kinds"`
}

type traceKind struct {
	Name    string `json:"name"`
	Variant string `json:"variant,omitempty"`
	Chapter string `json:"chapter"`
	Package string `json:"package"`
	Func    string `json:"func"`
	// URL is of the line of upstream's source, in the version that runs; empty if it has none.
	URL string `json:"url"`
}

// Kinds serves `kinds`: what steps there can be, and where upstream does what they tell of.
func Kinds(context.Context, *port.Call) (any, error) { return allKinds(), nil }

func allKinds() kindsResult {
	r := kindsResult{Version: version.Kubernetes, Kinds: []traceKind{}}
	for _, k := range trace.Kinds() {
		r.Kinds = append(r.Kinds, traceKind{k.Name, k.Variant, string(k.Chapter), k.Place.Package, k.Place.Func, k.URL(version.Kubernetes)})
	}
	return r
}

type exportParams struct {
	ID trace.ID `json:"id"`
}

// Export serves `export`: what is held of the trace as one document of JSON, or what one step caused.
func Export(bus *trace.Bus) port.Handler {
	return func(_ context.Context, c *port.Call) (any, error) {
		var p exportParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		head, err := json.Marshal(allKinds())
		if err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		steps, gone := bus.All()
		if p.ID != 0 {
			var below []trace.Step
			trace.Grow(steps, p.ID).Walk(func(t *trace.Tree, _ int) { below = append(below, t.Step) })
			steps, gone = below, 0
		}
		out := c.Output("body")
		if _, err := fmt.Fprintf(out, "{\"gone\":%d,\"source\":%s,\"steps\":[", gone, head); err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		for i := range steps {
			separator := ",\n"
			if i == 0 {
				separator = "\n"
			}
			if _, err := fmt.Fprintf(out, "%s%s", separator, steps[i].JSON(true)); err != nil {
				return nil, fmt.Errorf("export: %w", err)
			}
		}
		if _, err := io.WriteString(out, "\n]}\n"); err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		return struct{}{}, nil
	}
}
