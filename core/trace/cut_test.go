package trace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestCutTree: what may be secret is gone from an object, of any shape; its names and all else stay.
func TestCutTree(t *testing.T) {
	const canary = "CANARY"
	for _, text := range []string{
		`{"kind":"Secret","data":{"name":"CANARY"},"stringData":{"name":"CANARY"}}`,
		`{"kind":"ConfigMap","data":{"name":"CANARY"},"binaryData":{"name":"CANARY"}}`,
		`{"kind":"Secret","data":"CANARY","stringData":["CANARY"],"x":"name"}`,
		`{"kind":["Secret"],"spec":{"name":[{"env":[{"name":"P","value":"CANARY"}],"args":["CANARY"],"command":"CANARY"}]}}`,
		`{"kind":"Pod","spec":{"name":{"httpGet":{"httpHeaders":[{"name":"A","value":"CANARY"}]},"exec":{"command":["CANARY","CANARY"]}}}}`,
		`{"kind":"Pod","spec":{"name":{"httpGet":{"path":"/healthz?token=CANARY"},"path":{"path":"?CANARY","token":"CANARY"}}}}`,
		`{"kind":"X","spec":{"name":1,"token":{"a":{"b":"CANARY"}},"password":["CANARY"],"secret":"CANARY","apiKey":"CANARY"}}`,
		`{"kind":"X","metadata":{"name":"x","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"CANARY"},"managedFields":["CANARY"]}}`,
	} {
		var tree map[string]any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		trace.CutTree(tree)
		out, err := json.Marshal(tree)
		if err != nil || strings.Contains(string(out), canary) || !strings.Contains(string(out), "name") {
			t.Errorf("%s: %s, %v", text, out, err)
		}
	}
	trace.CutTree(nil)
}
