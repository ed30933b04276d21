package trace

import "testing"

// TestAt: a request that is about a collection writes each of its objects, and one about an object others, too.
func TestAt(t *testing.T) {
	pod := Object{Version: "v1", Resource: "pods", Namespace: "x", Name: "p"}
	all := Object{Version: "v1", Resource: "pods", Namespace: "x"}
	for _, c := range []struct {
		about Object
		key   string
		want  string
	}{
		{pod, "/registry/pods/x/p", "pods/x/p"},
		{pod, "/registry/pods/y/p", ""},
		{pod, "/registry/services/specs/x/q", ""},
		{all, "/registry/pods/x/a", "pods/x/a"},
		{all, "/registry/pods/y/a", ""},
		{Object{Resource: "nodes"}, "/registry/minions/node-1", "nodes//node-1"},
		{Object{Resource: "pods", Subresource: "binding", Namespace: "x"}, "/registry/pods/x/a", ""},
		{Object{}, "/registry/pods/x/a", ""},
	} {
		at, found := c.about.At(c.key)
		if found != (c.want != "") || found && at.Key() != c.want {
			t.Errorf("of a request about %+v there lies %+v (%v) at %s, want %q", c.about, at, found, c.key, c.want)
		}
	}
}
