package main

import (
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// host is what the worker's script left on globalThis: TabernetesHost of protocol.ts.
type host struct {
	port     jsx.Value
	protocol int // the page's; 0 if it says none
	config   settings
	begin    time.Time // of performance.now()
	// container is a function that begins the Worker of a container.
	container jsx.Value
}

func readHost() (*host, error) {
	v, err := jsx.Global("tabernetesHost")
	if err != nil {
		return nil, err
	}
	h := &host{}
	if h.port, err = jsx.Field(v, "port"); err != nil {
		return nil, fmt.Errorf("tabernetesHost: %w", err)
	}
	if h.container, err = v.Get("container"); err != nil {
		return nil, fmt.Errorf("tabernetesHost: %w", err)
	}
	if protocol, err := v.Get("protocol"); err == nil && !protocol.IsUndefined() {
		if n, err := protocol.Float(); err == nil {
			h.protocol = int(n)
		}
	}
	config, err := jsx.Field(v, "config")
	if err != nil {
		return nil, fmt.Errorf("tabernetesHost: %w", err)
	}
	if err := jsx.Unmarshal(config, &h.config); err != nil {
		return nil, fmt.Errorf("tabernetesHost.config: %w", err)
	}
	performance, err := jsx.Global("performance")
	if err != nil {
		return nil, err
	}
	now, err := performance.Call("now")
	if err != nil {
		return nil, fmt.Errorf("performance.now: %w", err)
	}
	ms, err := now.Float()
	if err != nil {
		return nil, fmt.Errorf("performance.now: %w", err)
	}
	h.begin = time.Now().Add(-time.Duration(ms * float64(time.Millisecond)))
	return h, nil
}

// since is a time in milliseconds since the worker began.
func (h *host) since(t time.Time) float64 {
	return float64(t.Sub(h.begin).Microseconds()) / 1000
}
