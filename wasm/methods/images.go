package methods

import (
	"context"
	"fmt"
	"net/url"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/node/image/defined"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Defining is a cluster to which images can be added; *cluster.Cluster is.
type Defining interface {
	DefineImage(image.Definition) error
}

var _ Defining = (*cluster.Cluster)(nil)

type defineImageParams struct {
	Name   string   `json:"name"`
	Module string   `json:"module"` // absolute
	Ports  []int    `json:"ports"`
	Env    []string `json:"env"`
}

// maxModule is how long an address of a module may be.
const maxModule = 2048

// DefineImage serves `defineImage`: a JavaScript module becomes an image of the in-tab nodes.
func DefineImage(runner *defined.Runner, await func(context.Context) (Defining, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p defineImageParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("define an image: %w", err)
		}
		if err := checkModule(p.Module); err != nil {
			return nil, fmt.Errorf("define the image %.100q: %w", p.Name, err)
		}
		cluster, err := await(ctx)
		if err != nil {
			return nil, fmt.Errorf("define the image %.100q: %w", p.Name, err)
		}
		main := runner.Program(defined.Definition{Module: p.Module, Ports: p.Ports})
		if err := cluster.DefineImage(image.Definition{Name: p.Name, Env: p.Env, Ports: p.Ports, Main: main}); err != nil {
			return nil, fmt.Errorf("define the image %.100q: %w", p.Name, err)
		}
		return struct{}{}, nil
	}
}

// checkModule refuses what is no address of a file. Whether it may be loaded is up to the browser.
func checkModule(module string) error {
	if len(module) > maxModule {
		return fmt.Errorf("its module's address has %d characters; %d are possible", len(module), maxModule)
	}
	u, err := url.Parse(module)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return fmt.Errorf("its module is %.100q: an address with http or https, without a user, is needed", module)
	}
	return nil
}
