package apiserver

import (
	"context"
	"fmt"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	aggregatorapiserver "k8s.io/kube-aggregator/pkg/apiserver"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/tabernetes/tabernetes/core/apiserver/apitrace"
	_ "github.com/tabernetes/tabernetes/core/version" // the components report it
)

// Server is the whole chain, ready to run once.
type Server struct {
	chain    *aggregatorapiserver.APIAggregator
	loopback *rest.Config
}

// New builds the chain and writes what every cluster begins with; nothing is served before Run.
func (c CompletedConfig) New(ctx context.Context) (*Server, error) {
	done, err := writeDefaults(ctx, c.storage)
	if err != nil {
		return nil, fmt.Errorf("create the apiserver chain: %w", err)
	}
	c.upstream.KubeAPIs.ControlPlane.Generic.DisabledPostStartHooks.Insert(done...)
	chain, err := app.CreateServerChain(c.upstream)
	if err != nil {
		return nil, fmt.Errorf("create the apiserver chain: %w", err)
	}
	generic := c.upstream.KubeAPIs.ControlPlane.Generic
	native, ok := chain.GenericAPIServer.NextDelegate().(*genericapiserver.GenericAPIServer)
	if !ok {
		return nil, fmt.Errorf("create the apiserver chain: the native APIs are a %T", chain.GenericAPIServer.NextDelegate())
	}
	apitrace.Chained(c.trace, c.upstream.Aggregator.GenericConfig.Config, chain.GenericAPIServer.ListedPaths())
	c.self.Set(chain.GenericAPIServer.Handler)
	installOpenAPI(native, generic.OpenAPIConfig, generic.OpenAPIV3Config)
	return &Server{chain: chain, loopback: generic.LoopbackClientConfig}, nil
}

// Handler is the full handler chain, authentication included.
func (s *Server) Handler() http.Handler { return s.chain.GenericAPIServer.Handler }

// Loopback is a client configuration with all rights, for use inside the process.
func (s *Server) Loopback() *rest.Config { return rest.CopyConfig(s.loopback) }

// Run serves until ctx is done and everything in flight has drained.
func (s *Server) Run(ctx context.Context) error {
	prepared, err := s.chain.PrepareRun()
	if err != nil {
		return fmt.Errorf("prepare the apiserver: %w", err)
	}
	if err := s.awaitStorage(ctx); err != nil {
		return fmt.Errorf("prepare the apiserver: %w", err)
	}
	if err := prepared.Run(ctx); err != nil {
		return fmt.Errorf("run the apiserver: %w", err)
	}
	return nil
}

// awaitStorage waits until the watch caches are filled. The server's own informers ask for all
// resources as soon as it runs; one whose cache is not there yet is sent away for a second
// (k8s.io/apiserver/pkg/storage/cacher), and /readyz waits for it.
func (s *Server) awaitStorage(ctx context.Context) error {
	hookContext := genericapiserver.PostStartHookContext{Context: ctx}
	for server := s.chain.GenericAPIServer; ; {
		if err := server.StorageReadinessHook.Hook(hookContext); err != nil {
			return fmt.Errorf("wait for the watch caches: %w", err)
		}
		next, ok := server.NextDelegate().(*genericapiserver.GenericAPIServer)
		if !ok {
			return ctx.Err()
		}
		server = next
	}
}
