package join

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// told is what of a step the trace's file is asked for.
type told struct {
	ID        int64   `json:"id"`
	At        float64 `json:"at"`
	Kind      string  `json:"kind"`
	Cause     int64   `json:"cause"`
	Node      string  `json:"node"`
	Told      bool    `json:"told"`
	Component string  `json:"component"`
	Object    struct {
		Resource, Subresource, Name string
	} `json:"object"`
	Details json.RawMessage `json:"details"`
}

// steps reads what the cluster has told by now.
func (r *rig) steps(t *testing.T) (all []told) {
	t.Helper()
	text, err := os.ReadFile(r.Trace())
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var s told
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, s)
	}
	return all
}

// testTrace has one command's tree end in the containers of a real node: its runtime's calls and its
// plugins', as it tells of them itself, and no secret among them.
func (r *rig) testTrace(t *testing.T, h *host) {
	const name, canary = "traced", "Y2FuYXJ5LW9mLXRoZS10cmFjZQ"
	began := float64(time.Now().Add(-time.Minute).UnixMilli())
	r.rolledOut(t, nginxPods{name: name, replicas: 1, pod: []string{onAnyRealNodes}, container: []string{
		"env: [{name: PASSWORD, value: " + canary + "}]",
		`lifecycle: {postStart: {exec: {command: ["sh", "-c", "echo ` + canary + ` >/dev/null"]}}}`,
	}})
	t.Cleanup(func() { r.Kubectl(t, "kubectl delete deployment "+name+" --wait=true --timeout=60s") })
	want := map[string]bool{
		"cni.plugin": true, "cri.RunPodSandbox": true, "cri.CreateContainer": true, "cri.StartContainer": true, "cri.ExecSync": true,
	}
	var missing string
	for end := time.Now().Add(nodetest.Patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if missing = missingSteps(r.steps(t), name, h.NodeName, want); missing == "" {
			break
		}
	}
	if missing != "" {
		t.Fatal(missing)
	}
	now := float64(time.Now().Add(time.Minute).UnixMilli())
	for _, s := range r.steps(t) {
		if !s.Told {
			continue
		}
		if s.Node != h.NodeName || s.At < began-float64(time.Hour.Milliseconds()) || s.At > now {
			t.Errorf("%+v", s)
		}
		if text := string(s.Details); strings.Contains(text, canary) || strings.Contains(text, "canary") {
			t.Errorf("a secret is in %s: %s", s.Kind, text)
		}
	}
}

// missingSteps says what a Deployment's tree lacks of what its node is to tell; "" is nothing.
func missingSteps(all []told, deployment, node string, want map[string]bool) string {
	root := slices.IndexFunc(all, func(s told) bool {
		return s.Kind == "apiserver.request" && s.Object.Resource == "deployments" && s.Object.Subresource == "" && s.Object.Name == deployment
	})
	if root < 0 {
		return "there is no request for the Deployment"
	}
	causes := map[int64]int64{}
	for _, s := range all {
		causes[s.ID] = s.Cause
	}
	below := func(id int64) bool {
		for range len(all) {
			if id == all[root].ID {
				return true
			}
			if id = causes[id]; id == 0 {
				return false
			}
		}
		return false
	}
	have, stray := map[string]bool{}, []string{}
	for _, s := range all {
		if !s.Told || s.Node != node || !strings.HasPrefix(s.Object.Name, deployment+"-") {
			continue
		}
		if below(s.ID) {
			have[s.Kind] = true
		} else {
			stray = append(stray, s.Kind)
		}
	}
	for kind := range want {
		if !have[kind] {
			return fmt.Sprintf("the tree has no %s: it has %v, and %v stand elsewhere", kind, have, stray)
		}
	}
	return ""
}
