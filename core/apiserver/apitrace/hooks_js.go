package apitrace

import (
	"context"
	_ "unsafe" // for go:linkname

	"k8s.io/apiserver/pkg/registry/generic/registry" // has the variable below, by the overlay
)

//go:linkname registryCreating k8s.io/apiserver/pkg/registry/generic/registry.creating
var registryCreating func(ctx context.Context, e *registry.Store) (moment func(name, key string))

func hook() { registryCreating = creating }
