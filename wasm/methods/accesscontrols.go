package methods

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/apiserver/apitrace"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// accessControls are what a request passes, each list in the order in which it is asked.
type accessControls struct {
	Authenticators []accessControl `json:"authenticators"`
	Authorizers    []accessControl `json:"authorizers"`
	// Admission are all plugins that there are, those that are off among them.
	Admission []accessControl `json:"admission"`
}

type accessControl struct {
	Name string `json:"name"`
	// On and Default are an admission plugin's: whether it is in force, and would be if nobody said so.
	On      bool  `json:"on"`
	Default bool  `json:"default"`
	Last    *deed `json:"last,omitempty"`
}

// deed is the last thing that one of them did, as far as the trace holds it.
type deed struct {
	Step   trace.ID `json:"step"`
	At     int64    `json:"at"` // milliseconds since 1970
	Did    string   `json:"did"`
	Reason string   `json:"reason,omitempty"`
	User   string   `json:"user,omitempty"`
	Verb   string   `json:"verb,omitempty"`
	Object string   `json:"object,omitempty"`
}

// AccessControls serves `accessControls`: authenticators, authorizers and admission plugins, and the last thing that each did.
func AccessControls(bus *trace.Bus) port.Handler {
	return func(context.Context, *port.Call) (any, error) {
		steps, _ := bus.All()
		d := apitrace.AccessControlsIn(steps)
		r := accessControls{Authenticators: controlsOf(d.Authenticators), Authorizers: controlsOf(d.Authorizers), Admission: []accessControl{}}
		running := controlsOf(d.Plugins)
		for _, p := range apiserver.AdmissionPlugins() {
			one := accessControl{Name: p.Name}
			if i := slices.IndexFunc(running, func(c accessControl) bool { return c.Name == p.Name }); i >= 0 {
				one = running[i]
				running = slices.Delete(running, i, i+1)
			}
			one.Default = p.Default
			r.Admission = append(r.Admission, one)
		}
		r.Admission = append(r.Admission, running...) // none of upstream's
		return r, nil
	}
}

func controlsOf(traced []apitrace.AccessControl) []accessControl {
	list := make([]accessControl, len(traced))
	for i, d := range traced {
		list[i] = accessControl{Name: d.Name, On: true}
		if l := d.Last; l != nil {
			list[i].Last = &deed{
				Step: l.Step, At: l.At.UnixMilli(), Did: l.Did, Reason: trace.Text(l.Reason), User: l.User, Verb: l.Verb, Object: objectName(l.Object),
			}
		}
	}
	return list
}

// objectName is "pods/web of default".
func objectName(o trace.Object) string {
	name := o.Resource
	if o.Name != "" {
		name += "/" + o.Name
	}
	if name != "" && o.Namespace != "" {
		name += " of " + o.Namespace
	}
	return name
}
