package apitrace

import (
	"net/http"

	"golang.org/x/time/rate"
	"k8s.io/apiserver/pkg/admission"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

const component = "kube-apiserver"

// Plugins returns the decorator that tells of each admission plugin, for AdmissionOptions.Decorators;
// nil if bus is.
func Plugins(bus *trace.Bus) admission.Decorators {
	if bus == nil {
		return nil
	}
	return admission.Decorators{admission.DecoratorFunc(func(next admission.Interface, name string) admission.Interface {
		list(bus, admitting, []string{name})
		return &plugin{next: next, name: name, bus: bus}
	})}
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
		return &front{
			next: build(handlers{api}, c), bus: bus, resolver: c.RequestInfoResolver, longRunning: c.LongRunningFunc, policy: hasPolicy(c),
			compares: rate.NewLimiter(comparesPerSecond, comparesAtOnce), typed: rate.NewLimiter(comparesPerSecond, comparesAtOnce),
		}
	}
}
