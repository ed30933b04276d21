package apitrace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emicklei/go-restful/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
	chaining = trace.Declare(trace.Start, "start.servers", trace.Place{
		Package: "k8s.io/kubernetes/cmd/kube-apiserver/app", Func: "CreateServerChain", Text: "aggregatorServer, err := controlplaneapiserver.CreateAggregatorServer(",
	})
	storing = trace.Declare(trace.Start, "start.storage", trace.Place{
		Package: "k8s.io/kubernetes/pkg/controlplane/apiserver", Func: "Server.InstallAPIs", Text: "apiGroupInfo, err := restStorageBuilder.NewRESTStorage(s.APIResourceConfigSource, s.RESTOptionsGetter)",
	})
	routing = trace.Declare(trace.Start, "start.routes", trace.Place{
		Package: "k8s.io/apiserver/pkg/endpoints", Func: "APIInstaller.Install", Text: "a.registerResourceHandlers(path, a.group.Storage[path], ws)",
	})
	describing = trace.Declare(trace.Start, "start.openapi", trace.Place{
		Package: "k8s.io/apiserver/pkg/server/routes", Func: "OpenAPI.InstallV3", Text: `RegisterOpenAPIV3VersionedService("/openapi/v3", mux)`,
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

// Server is one of the chain, outermost first.
type Server struct {
	Name     string
	Services []*restful.WebService
}

// Installed are the details of start.storage and start.routes: of one group, or of one version.
type Installed struct {
	Path string `json:"path"`
	// Resources are those that the version serves, with their subresources; Routes is how many pairs of
	// a verb and a path lead to them.
	Resources []string `json:"resources,omitempty"`
	Routes    int      `json:"routes,omitempty"`
	// Keys are where the group's resources lie in etcd.
	Keys []string `json:"keys,omitempty"`
}

// Weight implements trace.Weigher.
func (i *Installed) Weight() int { return 64 + len(i.Path) + 48*(len(i.Resources)+len(i.Keys)) }

// Chained tells what the server was made of, before it serves, with when each was made: in the order of what
// rests on what. prefix is the key in etcd of all that a resource has; describes is when it was begun to install
// openAPI.
func (m *Making) Chained(servers []Server, prefix func(schema.GroupResource) string, describes time.Time, openAPI []string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = true
	var names, groups []string
	var versions []Installed
	keys := map[string][]string{}
	for _, server := range servers {
		names = append(names, fmt.Sprintf("%s, of %d groups' versions", server.Name, countVersions(server.Services)))
		for _, service := range server.Services {
			if !isVersion(service.RootPath()) {
				continue
			}
			v := Installed{Path: service.RootPath(), Routes: len(service.Routes()), Resources: resources(service)}
			versions, groups = append(versions, v), append(groups, v.Path)
			of := versionOf(v.Path).Group
			for _, r := range v.Resources {
				resource, _, sub := strings.Cut(r, "/")
				key := prefix(schema.GroupResource{Group: of, Resource: resource})
				if !sub && !slices.Contains(keys[of], key) {
					keys[of] = append(keys[of], key)
				}
			}
		}
	}
	m.bus.Add(period{m.began, describes}.step(chaining, &Listed{names}))
	for _, group := range slices.Sorted(maps.Keys(keys)) {
		m.bus.Add(m.storageOf(group).step(storing, &Installed{Path: pathOf(group), Keys: keys[group]}))
	}
	last := m.began
	for i := range versions {
		p := m.routes[versionOf(versions[i].Path)]
		if p.to.After(last) {
			last = p.to
		}
		m.bus.Add(p.step(routing, &versions[i]))
	}
	m.bus.Add(period{last, last}.step(serving, &Listed{groups}))
	m.bus.Add(period{describes, time.Now()}.step(describing, &Listed{openAPI}))
}

// versionOf is the version that a path is the root of (isVersion).
func versionOf(path string) schema.GroupVersion {
	if version, ok := strings.CutPrefix(path, "/api/"); ok {
		return schema.GroupVersion{Version: version}
	}
	group, version, _ := strings.Cut(strings.TrimPrefix(path, "/apis/"), "/")
	return schema.GroupVersion{Group: group, Version: version}
}

// pathOf is a group's; "" is the core's.
func pathOf(group string) string {
	if group == "" {
		return "/api"
	}
	return "/apis/" + group
}

// Hooks tells of what is run once the server listens: paths are those of a server that is prepared, which
// has a check of its health for each.
func Hooks(bus *trace.Bus, paths []string) {
	if bus == nil {
		return
	}
	var names []string
	for _, p := range paths {
		if name, ok := strings.CutPrefix(p, "/healthz/poststarthook/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	list(bus, hooking, names)
}

// isVersion tells whether a web service is that of a version of an API's group.
func isVersion(path string) bool {
	return path == "/api/v1" || strings.HasPrefix(path, "/apis/") && strings.Count(path, "/") == 3
}

func countVersions(services []*restful.WebService) (n int) {
	for _, s := range services {
		if isVersion(s.RootPath()) {
			n++
		}
	}
	return n
}

// resources are those that a version serves, by its routes: what follows on the version, or on a namespace.
func resources(service *restful.WebService) []string {
	found := map[string]bool{}
	for _, route := range service.Routes() {
		rest := strings.Trim(strings.TrimPrefix(route.Path, service.RootPath()), "/")
		parts := strings.Split(rest, "/")
		if len(parts) > 2 && parts[0] == "namespaces" && parts[1] == "{namespace}" {
			parts = parts[2:]
		}
		if parts[0] == "" || parts[0] == "watch" || strings.HasPrefix(parts[0], "{") {
			continue
		}
		name := parts[0]
		if len(parts) > 2 && strings.HasPrefix(parts[1], "{") && !strings.HasPrefix(parts[2], "{") {
			name += "/" + parts[2]
		}
		found[name] = true
	}
	return slices.Sorted(maps.Keys(found))
}
