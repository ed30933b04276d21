package apitrace

import (
	"maps"
	"slices"
	"strings"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

// What is told of the start, in the ring that keeps it.
var (
	flagged = trace.Declare(trace.Start, "start.flags", trace.Place{
		Package: "k8s.io/kubernetes/cmd/kube-apiserver/app/options", Func: "ServerRunOptions.Complete", Text: "controlplane, err := s.Options.Complete(ctx, ",
	})
	authenticating = trace.Declare(trace.Start, "start.authentication", trace.Place{
		Package: "k8s.io/kubernetes/pkg/kubeapiserver/authenticator", Func: "Config.New", Text: "authenticator := union.New(authenticators...)",
	})
	authorizing = trace.Declare(trace.Start, "start.authorization", trace.Place{
		Package: "k8s.io/kubernetes/pkg/kubeapiserver/authorizer", Func: "reloadableAuthorizerResolver.newForConfig", Text: "return union.New(authorizers...), union.NewRuleResolvers(ruleResolvers...), nil",
	})
	admitting = trace.Declare(trace.Start, "start.admission", trace.Place{
		Package: "k8s.io/apiserver/pkg/admission", Func: "Plugins.NewFromPlugins", Text: "plugin, err := ps.InitPlugin(pluginName, pluginConfig, pluginInitializer)",
	})
	serving = trace.Declare(trace.Start, "start.groups", trace.Place{
		Package: "k8s.io/apiserver/pkg/server", Func: "GenericAPIServer.InstallAPIGroups", Text: "s.DiscoveryGroupManager.AddGroup(apiGroup)",
	})
	hooking = trace.Declare(trace.Start, "start.hooks", trace.Place{
		Package: "k8s.io/apiserver/pkg/server", Func: "GenericAPIServer.RunPostStartHooks", Text: "go runPostStartHook(hookName, hookEntry, context)",
	})
)

// Listed are the details of the steps of the start: what there is, by name and in order.
type Listed struct {
	Names []string `json:"names"`
}

// Weight implements trace.Weigher.
func (l *Listed) Weight() int { return 32 + 48*len(l.Names) }

func list(bus *trace.Bus, kind *trace.Kind, names []string) {
	bus.Add(trace.Step{Kind: kind, Component: component, Details: &Listed{names}})
}

// Flags tells of the command line: ours as it is, and of what else was given the names only.
func Flags(bus *trace.Bus, ours, further []string) {
	if bus == nil {
		return
	}
	names := slices.Clone(ours)
	for _, f := range further {
		if name, _, joined := strings.Cut(f, "="); joined {
			f = name + "=" + trace.Withheld
		}
		names = append(names, f)
	}
	list(bus, flagged, names)
}

// Chained tells what a server was made of, before it serves.
func Chained(bus *trace.Bus, c *genericapiserver.Config, paths []string) {
	if bus == nil {
		return
	}
	var groups []string
	for _, path := range paths {
		if path == "/api/v1" || strings.HasPrefix(path, "/apis/") && strings.Count(path, "/") == 3 {
			groups = append(groups, path)
		}
	}
	list(bus, serving, groups)
	list(bus, hooking, slices.Sorted(maps.Keys(c.PostStartHooks)))
}
