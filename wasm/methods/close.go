package methods

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/wasm/port"
)

type closeParams struct {
	Session string `json:"session"`
}

// Close serves `close`: a session of the terminal ends, with what runs in it.
func Close(t *kubectl.Terminal) port.Handler {
	return func(_ context.Context, c *port.Call) (any, error) {
		var p closeParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("close: %w", err)
		}
		t.Close(p.Session)
		return struct{}{}, nil
	}
}
