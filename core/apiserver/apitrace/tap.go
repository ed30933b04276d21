package apitrace

import (
	"net/http"
	"slices"

	"golang.org/x/time/rate"
	"k8s.io/apiserver/pkg/admission"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

const component = "kube-apiserver"

// Plugins returns AdmissionOptions.Decorators with one behind them that tells of each admission plugin; as they
// are if bus is nil. Upstream's own has both of admission's interfaces whatever a plugin has, so what the plugin
// itself has is noted before that. Plugins are decorated one at a time, as upstream does.
func Plugins(bus *trace.Bus, decorators admission.Decorators) admission.Decorators {
	if bus == nil {
		return decorators
	}
	var does phases
	note := admission.DecoratorFunc(func(p admission.Interface, _ string) admission.Interface {
		_, does.mutates = p.(admission.MutationInterface)
		_, does.validates = p.(admission.ValidationInterface)
		return p
	})
	tell := admission.DecoratorFunc(func(next admission.Interface, name string) admission.Interface {
		list(bus, admitting, []string{name})
		return newPlugin(bus, name, next, does)
	})
	return slices.Concat(admission.Decorators{note}, decorators, admission.Decorators{tell})
}

// Chain taps the admission chain as a whole. It is called before the configuration is copied for
// CustomResourceDefinitions and the aggregator.
func Chain(bus *trace.Bus, c *genericapiserver.Config) {
	if bus != nil && c.AdmissionControl != nil {
		c.AdmissionControl = &chain{next: c.AdmissionControl, bus: bus}
	}
}

// Front taps the server that requests come to first, the aggregator: behind it nothing is
// authenticated or authorized again.
func Front(bus *trace.Bus, c *genericapiserver.Config) {
	if bus == nil {
		return
	}
	hook()
	var names []string
	c.Authentication.Authenticator, names = authenticators(bus, c.Authentication.Authenticator)
	list(bus, authenticating, names)
	c.Authorization.Authorizer, names = authorizers(bus, c.Authorization.Authorizer)
	list(bus, authorizing, names)
	if c.FlowControl != nil {
		c.FlowControl = &fairness{c.FlowControl}
	}
	build := c.BuildHandlerChainFunc
	c.BuildHandlerChainFunc = func(api http.Handler, c *genericapiserver.Config) http.Handler {
		resolver := c.RequestInfoResolver
		c.RequestInfoResolver = resolved{resolver}
		return &front{
			next: build(handlers{api}, c), bus: bus, resolver: resolver, longRunning: c.LongRunningFunc, policy: hasPolicy(c),
			compares: rate.NewLimiter(comparesPerSecond, comparesAtOnce), typed: rate.NewLimiter(comparesPerSecond, comparesAtOnce),
			since: rate.NewLimiter(comparesPerSecond, comparesAtOnce),
		}
	}
}
