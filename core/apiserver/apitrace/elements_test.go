package apitrace

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestElementsAreComparedByTheirKeys: what comes before another element of a list changes nothing of that one.
func TestElementsAreComparedByTheirKeys(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"a container before the others",
			`[{"name":"nginx","image":"nginx"}]`,
			`[{"name":"sidecar"},{"name":"nginx","image":"nginx"}]`,
			`l[name="sidecar"]`},
		{"one that is changed and moved",
			`[{"name":"a"},{"name":"b","image":"x"}]`,
			`[{"name":"b","image":"y"},{"name":"a"}]`,
			`l[name="b"].image`},
		{"one that is gone", `[{"name":"a"},{"name":"b"}]`, `[{"name":"b"}]`, `l[name="a"]`},
		{"a condition", `[{"type":"Ready"}]`, `[{"type":"PodScheduled"},{"type":"Ready"}]`, `l[type="PodScheduled"]`},
		{"ports of one number",
			`[{"containerPort":53}]`,
			`[{"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"}]`,
			`l[containerPort=53,protocol="UDP"] l[containerPort=53,protocol="TCP"].protocol`},
		{"owners of one name",
			`[{"name":"web","uid":"1"}]`,
			`[{"name":"web","uid":"2"},{"name":"web","uid":"1"}]`,
			`l[uid="2"]`},
		{"what nothing tells apart", `[{"x":1}]`, `[{"x":2},{"x":1}]`, `l[0].x l[1]`},
		{"keys of which one is there twice", `[{"type":"a"}]`, `[{"type":"a"},{"type":"a"}]`, `l[1]`},
		{"a key that is an object", `[{"type":{}}]`, `[{"type":{"a":1}}]`, `l[0].type.a`},
		{"plain values", `["x"]`, `["x","y"]`, `l[1]`},
	} {
		var before, after []any
		for text, into := range map[string]*[]any{c.before: &before, c.after: &after} {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
		changes := []Change{}
		compare("l", before, after, &changes)
		var paths []string
		for _, change := range changes {
			paths = append(paths, change.Path)
		}
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

// TestElementsAreBounded: a difference between long lists is a list that ends.
func TestElementsAreBounded(t *testing.T) {
	var after []any
	for i := range 10 * maxChanges {
		after = append(after, map[string]any{"name": fmt.Sprint(i)})
	}
	changes := []Change{}
	compare("l", []any{}, after, &changes)
	if len(changes) != maxChanges {
		t.Errorf("%d changes", len(changes))
	}
}
