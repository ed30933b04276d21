package apitrace

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestAccessControlsIn: the access controls are those of the last server, and what decided something goes before what came later and
// only looked on.
func TestAccessControlsIn(t *testing.T) {
	bus := trace.New()
	list(bus, flagged, []string{"--old"})
	list(bus, admitting, []string{"Gone"})
	list(bus, flagged, []string{"--new"})
	list(bus, admitting, []string{"LimitRanger"})
	list(bus, admitting, []string{"PodSecurity"})
	list(bus, authenticating, []string{"client certificate", "anonymous"})
	list(bus, authorizing, []string{"Node", "RBAC"})
	bus.Add(trace.Step{Kind: refused, Details: &Refusal{Plugin: "PodSecurity", Message: "violates"}})
	bus.Add(trace.Step{Kind: refused, Details: &Refusal{Plugin: "Gone", Message: "violates"}})
	bus.Add(trace.Step{Kind: mutated, Details: &Admitted{Operation: "CREATE", Plugins: []Plugin{
		{Name: "LimitRanger", Changed: &Difference{}}, {Name: "PodSecurity"},
	}}})
	bus.Add(trace.Step{Kind: mutated, Details: &Admitted{Operation: "UPDATE", Plugins: []Plugin{{Name: "LimitRanger"}, {Name: "PodSecurity"}}}})
	bus.Add(trace.Step{Kind: allowed, Details: &Authorized{User: "jane", Verb: "get", Asked: []Asked{{Name: "Node", Answer: "no opinion"}, {Name: "RBAC", Answer: "allow", Reason: "bound"}}}})
	steps, _ := bus.All()
	d := AccessControlsIn(steps)
	if len(d.Plugins) != 2 || len(d.Authenticators) != 2 || d.Authenticators[1].Name != "anonymous" || len(d.Authorizers) != 2 {
		t.Fatalf("%+v", d)
	}
	for _, c := range []struct {
		control AccessControl
		did     string
		verb    string
	}{
		{d.Plugins[0], "changed", "CREATE"},
		{d.Plugins[1], "refused", ""},
		{d.Authorizers[0], "no opinion", "get"},
		{d.Authorizers[1], "allow", "get"},
	} {
		if c.control.Last == nil || c.control.Last.Did != c.did || c.control.Last.Verb != c.verb {
			t.Errorf("%s: %+v; want %s", c.control.Name, c.control.Last, c.did)
		}
	}
	if d.Authenticators[0].Last != nil || AccessControlsIn(nil).Plugins != nil {
		t.Error("an access control did something that nobody told of")
	}
}
