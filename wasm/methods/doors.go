package methods

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/apiserver/apitrace"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// doorsResult is what a request passes, each list in the order in which it is asked.
type doorsResult struct {
	Authenticators []door `json:"authenticators"`
	Authorizers    []door `json:"authorizers"`
	// Admission are all plugins that there are, those that are off among them.
	Admission []door `json:"admission"`
}

type door struct {
	Name string `json:"name"`
	// On and Default are an admission plugin's: whether it is in force, and would be if nobody said so.
	On      bool  `json:"on"`
	Default bool  `json:"default"`
	Last    *deed `json:"last,omitempty"`
}

// deed is the last thing that a door did, as far as the trace holds it.
type deed struct {
	Step   trace.ID `json:"step"`
	At     int64    `json:"at"` // milliseconds since 1970
	Did    string   `json:"did"`
	Reason string   `json:"reason,omitempty"`
	User   string   `json:"user,omitempty"`
	Verb   string   `json:"verb,omitempty"`
	Object string   `json:"object,omitempty"`
}

// Doors serves `doors`: authenticators, authorizers and admission plugins, and the last thing that each did.
func Doors(bus *trace.Bus) port.Handler {
	return func(context.Context, *port.Call) (any, error) {
		steps, _ := bus.All()
		d := apitrace.DoorsIn(steps)
		r := doorsResult{Authenticators: doorsOf(d.Authenticators), Authorizers: doorsOf(d.Authorizers), Admission: []door{}}
		running := doorsOf(d.Plugins)
		for _, p := range apiserver.AdmissionPlugins() {
			one := door{Name: p.Name}
			if i := slices.IndexFunc(running, func(d door) bool { return d.Name == p.Name }); i >= 0 {
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

func doorsOf(doors []apitrace.Door) []door {
	list := make([]door, len(doors))
	for i, d := range doors {
		list[i] = door{Name: d.Name, On: true}
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
