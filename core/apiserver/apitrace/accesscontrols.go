package apitrace

import (
	"time"

	"github.com/tabernetes/tabernetes/core/trace"
)

// AccessControls are what a request passes, each list in the order in which it is asked.
type AccessControls struct {
	Authenticators []AccessControl
	Authorizers    []AccessControl
	Plugins        []AccessControl
}

// AccessControl is one authenticator, authorizer or admission plugin.
type AccessControl struct {
	Name string
	// Last is the last thing it did that the trace holds: nil for nothing. What decided or changed something
	// goes before what only looked on.
	Last *Deed
}

// Deed is what an access control did with one request.
type Deed struct {
	// Step is the trace's that tells of it.
	Step trace.ID
	At   time.Time
	// Did is its answer: "accepted", "allow", "changed", "refused", …; Reason is why, if it said so.
	Did    string
	Reason string
	// Acted is whether it decided or changed something.
	Acted bool
	// User and Verb are whose request it was, where the step knows it; Object is what it was about.
	User, Verb string
	Object     trace.Object
}

// AccessControlsIn reads from the steps of a bus which access controls the server that was made last has, and what each did.
func AccessControlsIn(steps []trace.Step) AccessControls {
	var d AccessControls
	for i := range steps {
		listed, ok := steps[i].Details.(*Listed)
		switch kind := steps[i].Kind; {
		case kind == flagged: // another server is made
			d = AccessControls{}
		case !ok:
		case kind == authenticating:
			d.Authenticators = controls(listed.Names)
		case kind == authorizing:
			d.Authorizers = controls(listed.Names)
		case kind == admitting:
			d.Plugins = append(d.Plugins, controls(listed.Names)...)
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		switch of := s.Details.(type) {
		case *Authenticated:
			for _, a := range of.Asked {
				did(d.Authenticators, a.Name, s, Deed{Did: a.Answer, Reason: a.Reason, Acted: a.Answer != "not mine", User: of.User})
			}
		case *Authorized:
			for _, a := range of.Asked {
				did(d.Authorizers, a.Name, s, Deed{Did: a.Answer, Reason: a.Reason, Acted: a.Answer != "no opinion", User: of.User, Verb: of.Verb})
			}
		case *Refusal:
			did(d.Plugins, of.Plugin, s, Deed{Did: "refused", Reason: of.Message, Acted: true})
		case *Admitted:
			for j := range of.Plugins {
				p := &of.Plugins[j]
				switch {
				case p.Refused: // admission.refused says why
				case p.Changed != nil:
					did(d.Plugins, p.Name, s, Deed{Did: "changed", Acted: true, Verb: of.Operation})
				default:
					did(d.Plugins, p.Name, s, Deed{Did: "let it pass", Verb: of.Operation})
				}
			}
		}
	}
	return d
}

func controls(names []string) []AccessControl {
	list := make([]AccessControl, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	return list
}

// did notes what an access control did, unless something later is noted, or something that counts for more.
func did(list []AccessControl, name string, s *trace.Step, what Deed) {
	for i := range list {
		d := &list[i]
		if d.Name != name {
			continue
		}
		if d.Last == nil || what.Acted && !d.Last.Acted {
			what.Step, what.At, what.Object = s.ID, s.At, s.Object
			d.Last = &what
		}
		return
	}
}
