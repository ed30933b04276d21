package initializers

import (
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericoptions "k8s.io/apiserver/pkg/server/options"

	"github.com/tabernetes/tabernetes/core/trace"
)

// PluginName is that of the admission plugin, as upstream had it: --enable-admission-plugins=Initializers.
const PluginName = "Initializers"

// Feature is all of it for one server. Who assembles a server registers it, asks whether it is On, and if it is puts it
// into the server: Serve before the chain is made, Wrap for each server's storage, Handler behind authorization.
type Feature struct {
	options    *genericoptions.AdmissionOptions
	authorizer authorizer.Authorizer
	inForce    inForce
	trace      *trace.Bus
}

// Register adds the plugin to the ones that upstream knows, off unless its name is among those that are switched on.
func Register(o *genericoptions.AdmissionOptions, bus *trace.Bus) *Feature {
	f := &Feature{options: o, trace: bus}
	o.Plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &plugin{Handler: admission.NewHandler(admission.Create), feature: f}, nil
	})
	// The last of those that change objects, so that no webhook makes another list of it. Copies: both are variables
	// that all servers of the process share.
	order := slices.Clone(o.RecommendedPluginOrder)
	at := slices.Index(order, mutatingwebhook.PluginName) + 1
	o.RecommendedPluginOrder = slices.Insert(order, at, PluginName)
	o.DefaultOffPlugins = o.DefaultOffPlugins.Union(sets.New(PluginName))
	return f
}

// On tells, once the flags are parsed, whether the plugin is switched on: by the flag of today, or among the names that
// --admission-control lists, which upstream still has.
func (f *Feature) On(listed []string) bool {
	return slices.Contains(f.options.EnablePlugins, PluginName) || slices.Contains(listed, PluginName)
}
