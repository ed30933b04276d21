package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"time"
	_ "time/tzdata" // as upstream's command has it: neither the tab nor every machine has a database of time zones

	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	aggregatorapiserver "k8s.io/kube-aggregator/pkg/apiserver"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/tabernetes/tabernetes/core/apiserver/apitrace"
	"github.com/tabernetes/tabernetes/core/trace"
	_ "github.com/tabernetes/tabernetes/core/version" // the components report it
)

// Server is the whole chain, ready to run once.
type Server struct {
	chain    *aggregatorapiserver.APIAggregator
	loopback *rest.Config
	trace    *trace.Bus
	drained  <-chan struct{}
	self     *loopback
}

// New builds the chain and writes what every cluster begins with; nothing is served before Run.
func (c CompletedConfig) New(ctx context.Context) (*Server, error) {
	done, err := writeDefaults(ctx, c.storage)
	if err != nil {
		return nil, fmt.Errorf("create the apiserver chain: %w", err)
	}
	c.upstream.KubeAPIs.ControlPlane.Generic.DisabledPostStartHooks.Insert(done...)
	making := apitrace.NewMaking(c.trace)
	for _, config := range []genericapiserver.CompletedConfig{
		c.upstream.KubeAPIs.ControlPlane.Generic, c.upstream.ApiExtensions.GenericConfig, c.upstream.Aggregator.GenericConfig,
	} {
		making.Tap(&config.RESTOptionsGetter, &config.EquivalentResourceRegistry)
	}
	var chain *aggregatorapiserver.APIAggregator
	create := func() (err error) {
		chain, err = app.CreateServerChain(c.upstream)
		return err
	}
	if c.initializers != nil {
		err = c.initializers.While(c.upstream.KubeAPIs, create)
	} else {
		err = create()
	}
	if err != nil {
		return nil, fmt.Errorf("create the apiserver chain: %w", err)
	}
	generic := c.upstream.KubeAPIs.ControlPlane.Generic
	native, ok := chain.GenericAPIServer.NextDelegate().(*genericapiserver.GenericAPIServer)
	if !ok {
		return nil, fmt.Errorf("create the apiserver chain: the native APIs are a %T", chain.GenericAPIServer.NextDelegate())
	}
	if len(c.groups) > 0 {
		if err := native.InstallAPIGroups(c.groups...); err != nil {
			return nil, fmt.Errorf("create the apiserver chain: %w", err)
		}
	}
	c.self.Set(chain.GenericAPIServer.Handler)
	describes := time.Now()
	installOpenAPI(native, generic.OpenAPIConfig, generic.OpenAPIV3Config)
	making.Chained(serversOf(chain), func(r schema.GroupResource) string {
		return c.storage.StorageConfig.Prefix + "/" + c.storage.ResourcePrefix(r)
	}, describes, []string{pathV2 + ", made when it is asked for", pathV3 + ", each version's when it is asked for"})
	return &Server{chain: chain, loopback: generic.LoopbackClientConfig, trace: c.trace, drained: generic.DrainedNotify(), self: c.self}, nil
}

// serversOf are the servers of the chain, each of which hands on what is not its own.
func serversOf(chain *aggregatorapiserver.APIAggregator) (all []apitrace.Server) {
	names := []string{"kube-aggregator", "the native APIs", "CustomResourceDefinitions"}
	for s, ok := chain.GenericAPIServer, true; ok && len(all) < len(names); s, ok = s.NextDelegate().(*genericapiserver.GenericAPIServer) {
		all = append(all, apitrace.Server{Name: names[len(all)], Services: s.Handler.GoRestfulContainer.RegisteredWebServices()})
	}
	return all
}

// Handler is the full handler chain, authentication included.
func (s *Server) Handler() http.Handler { return s.chain.GenericAPIServer.Handler }

// Loopback is a client configuration with all rights, for use inside the process.
func (s *Server) Loopback() *rest.Config { return rest.CopyConfig(s.loopback) }

// Drained is closed when the server was told to stop and has answered everything but what runs on without an end of
// its own (logs that are followed, exec, port-forward).
func (s *Server) Drained() <-chan struct{} { return s.drained }

// Run serves until ctx is done and everything in flight has drained.
func (s *Server) Run(ctx context.Context) error {
	// Its endpoint is known to the whole process, and would hold the server for good.
	defer s.self.Close()
	prepared, err := s.chain.PrepareRun()
	if err != nil {
		return fmt.Errorf("prepare the apiserver: %w", err)
	}
	apitrace.Hooks(s.trace, s.chain.GenericAPIServer.ListedPaths())
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
