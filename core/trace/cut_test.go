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
		`{"kind":"X","spec":{"name":{"clientSecret":"CANARY","db_password":"CANARY","tls.private-key":"CANARY","bearerTokens":["x"],"joinToken":["CANARY"],"AWSSecretAccessKey":"CANARY"}}}`,
		`{"kind":"X","metadata":{"name":"x","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"CANARY"},"managedFields":["CANARY"]}}`,
		`{"kind":"Pod","status":{"name":[{"state":{"waiting":{"message":"exec: \"/CANARY\": stat /CANARY: no such file or directory"}},"lastState":{"terminated":{"message":"CANARY"}}}]}}`,
		`{"kind":"X","metadata":{"name":"x","annotations":{"note":"CANARY","deep":{"a":"CANARY"}}},"spec":{"template":{"metadata":{"annotations":["CANARY"]}}}}`,
	} {
		var tree map[string]any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		trace.CutTree(tree, "")
		out, err := json.Marshal(tree)
		if err != nil || strings.Contains(string(out), canary) || !strings.Contains(string(out), "name") {
			t.Errorf("%s: %s, %v", text, out, err)
		}
	}
	trace.CutTree(nil, "")
	// What is sent to Secrets is one, whatever it says of itself.
	for _, kind := range []string{"", "ConfigMapList", "Pod"} {
		tree := map[string]any{"kind": kind, "stringData": map[string]any{"name": "CANARY"}, "data": "CANARY"}
		trace.CutTree(tree, "secrets")
		if out, _ := json.Marshal(tree); strings.Contains(string(out), canary) {
			t.Errorf("%s", out)
		}
	}
	const open = `{"spec":{"automountServiceAccountToken":true,"secretName":"a","tokenSecretRef":{"name":"b"},"tokenTTL":"1h"}}`
	var tree map[string]any
	_ = json.Unmarshal([]byte(open), &tree)
	trace.CutTree(tree, "")
	if out, _ := json.Marshal(tree); string(out) != open {
		t.Errorf("%s, want %s", out, open)
	}
}

// TestCutPatch: the same of a patch of any type, which does not say of which kind it is.
func TestCutPatch(t *testing.T) {
	for text, resource := range map[string]string{
		`{"data":{"name":"CANARY"},"stringData":{"a":"CANARY"}}`:                                                     "secrets",
		`{"binaryData":{"name":"CANARY"}}`:                                                                           "configmaps",
		`[{"op":"replace","path":"/data/name","value":"CANARY"},{"op":"add","path":"/data","value":{"a":"CANARY"}}]`: "secrets",
		`{"spec":{"$setElementOrder/containers":[{"name":"c"}],"containers":[{"name":"c","$deleteFromPrimitiveList/args":["CANARY"],"$setElementOrder/command":["CANARY"],"env":[{"name":"A","value":"CANARY"}]}]}}`: "pods",
		`{"metadata":{"annotations":{"name":"CANARY","gone":null}}}`: "deployments",
	} {
		var patch any
		if err := json.Unmarshal([]byte(text), &patch); err != nil {
			t.Fatal(err)
		}
		trace.CutPatch(patch, resource)
		out, err := json.Marshal(patch)
		if err != nil || strings.Contains(string(out), "CANARY") || !strings.Contains(string(out), "name") {
			t.Errorf("%s: %s, %v", text, out, err)
		}
	}
	open := map[string]any{"metadata": map[string]any{"annotations": map[string]any{"deployment.kubernetes.io/revision": "2", "gone": nil, "empty": ""}}}
	trace.CutPatch(open, "deployments")
	if out, _ := json.Marshal(open); string(out) != `{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"2","empty":"","gone":null}}}` {
		t.Errorf("%s", out)
	}
}

// TestFailure: no command is left in why something failed, however often that is quoted, and the reason is.
func TestFailure(t *testing.T) {
	for given, want := range map[string]string{
		`unable to start container process: exec: "/CANARY": stat /CANARY: no such file or directory`: `unable to start container process: exec: (not kept): no such file or directory`,
		`with RunContainerError: "a: exec: \"CANARY\": executable file not found in $PATH"`:           `with RunContainerError: "a: exec: (not kept): executable file not found in $PATH`,
		`exec: "CANARY": CANARY`: `exec: (not kept)`,
		`with PostStartHookError: "Exec lifecycle hook ([sh -c exec: CANARY]) for Container \"c\" failed: CANARY"`: `with PostStartHookError: "Exec lifecycle hook (not kept)`,
		`Back-off pulling image "nginx"`: `Back-off pulling image "nginx"`,
		"":                               "",
	} {
		if got := trace.Failure(given); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}

// TestAddress: neither who asks nor what a query or a fragment holds is kept, and what is left says where.
func TestAddress(t *testing.T) {
	for given, want := range map[string]string{
		"https://127.0.0.1:6443":         "https://127.0.0.1:6443",
		"https://[::1]:6443/a@b":         "https://[::1]:6443/a@b",
		"https://h/a?b=CANARY#CANARY":    "https://h/a?(not kept)",
		"https://h?CANARY":               "https://h?(not kept)",
		"https://h/#CANARY?x":            "https://h/#(not kept)",
		"https://u:CANARY@h:1/a":         "https://(not kept)@h:1/a",
		"https://CANARY@CANARY@h":        "https://(not kept)@h",
		"https://u:CAN/ARY@h/x":          "https://(not kept)@h/x",
		"u:CANARY@h:6443":                "(not kept)@h:6443",
		"localhost:8080":                 "localhost:8080",
		"https://cdn.example/gh/o/r@1/x": "https://cdn.example/gh/o/r@1/x",
		"":                               "",
	} {
		if got := trace.Address(given); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}
