package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/wasm/methods"
	"github.com/tabernetes/tabernetes/wasm/wsdial"
)

// outsideOf is what the cluster offers to those outside.
func outsideOf(c *cluster.Cluster) *methods.Outside {
	return &methods.Outside{
		Dial:  wsdial.Dial,
		Serve: c.Serve,
		Owner: func(ctx context.Context) (*rest.Config, error) {
			// Their manager signs certificates.
			if err := await(ctx, c.Done(cluster.StepControllers)); err != nil {
				return nil, fmt.Errorf("give access: %w", err)
			}
			return c.AdminConfig(), nil
		},
		Nodes: c.ServeRemote,
	}
}

// awaitOutside returns when there is a cluster, which need not be ready: whoever comes early
// waits for the apiserver.
func (t *tab) awaitOutside(ctx context.Context) (*methods.Outside, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	return t.outside, nil
}
