package main

import (
	"context"

	"github.com/tabernetes/tabernetes/core/attach"
)

// awaitAttachable returns when there is a cluster, which need not be ready: whoever comes early
// waits for the apiserver.
func (t *tab) awaitAttachable(ctx context.Context) (attach.Cluster, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	return t.cluster, nil
}
