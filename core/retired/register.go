package retired

import (
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
)

// plugins are those that there are, in the order in which they are asked.
func plugins(usage Usage) []plugin {
	return []plugin{
		{SecurityContextDeny, newSecurityContextDeny},
		{InitialResources, func() admission.Interface { return newInitialResources(usage) }},
		{PodPreset, newPodPreset},
	}
}

type plugin struct {
	name string
	make func() admission.Interface
}

// Register adds the plugins to the ones that upstream knows, off unless their names are switched on. usage is for
// InitialResources; nil if nobody knows it.
func Register(o *genericoptions.AdmissionOptions, usage Usage) {
	var names []string
	for _, p := range plugins(usage) {
		o.Plugins.Register(p.name, func(io.Reader) (admission.Interface, error) { return p.make(), nil })
		names = append(names, p.name)
	}
	// Copies: both are variables that all servers of the process share. First, as ResourceQuota is to be the last.
	o.RecommendedPluginOrder = append(names, o.RecommendedPluginOrder...)
	o.DefaultOffPlugins = o.DefaultOffPlugins.Union(sets.New(names...))
}

// Serve has the server serve, once it runs, what the plugins that are switched on need.
func Serve(c *genericapiserver.Config, enabled []string) error {
	if !slices.Contains(enabled, PodPreset) {
		return nil
	}
	return c.AddPostStartHook("retired/pod-presets", func(hook genericapiserver.PostStartHookContext) error {
		return servePodPresets(hook, hook.LoopbackClientConfig)
	})
}
