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
		Resource, Subresource, Namespace, Name string
	} `json:"object"`
	Details json.RawMessage `json:"details"`
	// line is all of it.
	line string
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
		s.line = string(line)
		all = append(all, s)
	}
	return all
}

// testTrace has one command's tree end in the containers of a real node: its runtime's calls and its
// plugins', as it tells of them itself, and no secret among them.
func (r *rig) testTrace(t *testing.T, h *host) {
	const name = "traced"
	began := float64(time.Now().Add(-time.Minute).UnixMilli())
	r.apply(t, withCanary(name))
	r.Kubectl(t, "kubectl rollout status --timeout=150s deploy/"+name)
	r.Kubectl(t, "kubectl exec deploy/"+name+" -- sh -c 'echo "+canary+"'")
	r.ends(t, h, name, began)
	r.entered(t, name)
}

// entered waits until the exec into a Deployment's pod is told by its node, below the request that asked for it.
func (r *rig) entered(t *testing.T, name string) {
	t.Helper()
	for end := time.Now().Add(nodetest.Patience); ; time.Sleep(200 * time.Millisecond) {
		all := r.steps(t)
		exec := slices.IndexFunc(all, func(s told) bool {
			return s.Told && s.Kind == "cri.Exec" && strings.HasPrefix(s.Object.Name, name+"-")
		})
		asked := exec >= 0 && slices.ContainsFunc(all, func(s told) bool {
			return s.ID == all[exec].Cause && s.Kind == "apiserver.request" && s.Object.Subresource == "exec"
		})
		switch {
		case asked:
			return
		case time.Now().After(end):
			t.Fatalf("the exec is not told below the request for it: %d of %d steps", exec, len(all))
		}
	}
}

// testTypedInTheTab is the same for what is typed into the tab: its tree begins with the command, and ends
// with what the machine tells.
func (r *rig) testTypedInTheTab(t *testing.T, h *host) {
	const name = "typed"
	began := float64(time.Now().Add(-time.Minute).UnixMilli())
	r.Type(t, "kubectl create -f - <<'END'\n"+withCanary(name)+"\nEND")
	r.ends(t, h, name, began)
	all := r.steps(t)
	at := slices.IndexFunc(all, func(s told) bool { return s.made(name) })
	for at >= 0 && all[at].Cause != 0 {
		cause := all[at].Cause
		at = slices.IndexFunc(all, func(s told) bool { return s.ID == cause })
	}
	if at < 0 || all[at].Kind != "kubectl.command" {
		t.Errorf("the Deployment does not go back to a command of the tab: %d", at)
	}
}

const canary = "Y2FuYXJ5LW9mLXRoZS10cmFjZQ"

// withCanary is a Deployment with a secret wherever one may be of what its node sees: values, commands, probes,
// headers, volumes; with what it takes them from, and a pod whose image is to be pulled with one.
func withCanary(name string) string {
	d := nginxPods{
		name: name, replicas: 1,
		pod: []string{onAnyRealNodes, "volumes: [{name: s, secret: {secretName: NAME-s}}, {name: c, configMap: {name: NAME-c}}]"},
		container: []string{
			"env: [{name: PASSWORD, value: CANARY}, {name: OTHER, valueFrom: {secretKeyRef: {name: NAME-s, key: key}}}]",
			"envFrom: [{secretRef: {name: NAME-s}}, {configMapRef: {name: NAME-c}}]",
			"volumeMounts: [{name: s, mountPath: /s}, {name: c, mountPath: /c}]",
			`lifecycle: {postStart: {exec: {command: ["sh", "-c", "echo CANARY >/dev/null"]}}}`,
			`startupProbe: {exec: {command: ["sh", "-c", "cat /s/key /c/key; echo CANARY"]}, periodSeconds: 1}`,
			`readinessProbe: {httpGet: {port: 80, path: "/?token=CANARY", httpHeaders: [{name: Authorization, value: CANARY}]}}`,
		},
	}
	return strings.NewReplacer("NAME", name, "CANARY", canary).Replace(`
apiVersion: v1
kind: Secret
metadata: {name: NAME-s}
stringData: {key: CANARY}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: NAME-c}
data: {key: CANARY}
---
apiVersion: v1
kind: Secret
metadata: {name: NAME-login}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: '{"auths":{"127.0.0.1:1":{"username":"u","password":"CANARY"}}}'}
---
apiVersion: v1
kind: Pod
metadata: {name: NAME-pulls}
spec:
  tolerations: [{operator: Exists}]
  nodeSelector: {node.tabernetes.internal/kind: real}
  terminationGracePeriodSeconds: 0
  imagePullSecrets: [{name: NAME-login}]
  containers: [{name: c, image: "127.0.0.1:1/none:1", args: [CANARY]}]
` + d.yaml())
}

// ends waits until a Deployment's tree ends as it should.
func (r *rig) ends(t *testing.T, h *host, name string, began float64) {
	t.Helper()
	t.Cleanup(func() {
		r.Kubectl(t, "kubectl delete deploy/"+name+" secret/"+name+"-s cm/"+name+"-c secret/"+name+"-login pod/"+name+"-pulls --wait=true --timeout=60s")
	})
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
	pulled := func() bool {
		return slices.ContainsFunc(r.steps(t), func(s told) bool {
			return s.Told && s.Kind == "cri.PullImage" && s.Object.Name == name+"-pulls"
		})
	}
	for end := time.Now().Add(nodetest.Patience); !pulled(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the pull with a secret was not told")
		}
	}
	for _, s := range r.steps(t) {
		// What a plugin was given and what it made, as data.
		if s.Kind == "cni.plugin" && strings.Contains(s.line, `"plugin":"bridge"`) && strings.Contains(s.line, `"command":"ADD"`) {
			for _, part := range []string{`"stdin":{`, `"type":"host-local"`, `"stdout":{`, `"name":"veth`, `"netns":"/`, "K8S_POD_NAME=" + name} {
				if strings.HasPrefix(s.Object.Name, name+"-") && !strings.Contains(s.line, part) {
					t.Errorf("there is no %s in %s", part, s.line)
				}
			}
		}
	}
	now := float64(time.Now().Add(time.Minute).UnixMilli())
	for _, s := range r.steps(t) {
		if strings.Contains(s.line, canary) {
			t.Errorf("a secret is in %s", s.line)
		}
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

// made is whether a step is the first request for a Deployment.
func (s *told) made(deployment string) bool {
	return s.Kind == "apiserver.request" && s.Object.Resource == "deployments" && s.Object.Subresource == "" && s.Object.Name == deployment
}

// missingSteps says what a Deployment's tree lacks of what its node is to tell; "" is nothing.
func missingSteps(all []told, deployment, node string, want map[string]bool) string {
	root := slices.IndexFunc(all, func(s told) bool { return s.made(deployment) })
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
