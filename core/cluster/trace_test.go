package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
	"github.com/tabernetes/tabernetes/core/kubectl/command"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/core/typed"
)

// traceLine runs a line of kubectl and gives the step with which its tree begins.
func traceLine(t *testing.T, line string) (root trace.ID, output string) {
	t.Helper()
	v := bus.View(true)
	defer v.Close()
	var out bytes.Buffer
	terminal(t.Context(), line, &out, &out)
	for {
		batch, err := v.Next(t.Context(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Steps {
			if _, ok := batch.Steps[i].Details.(*command.Begun); ok {
				return batch.Steps[i].ID, out.String()
			}
		}
	}
}

// treeCase is a command and what its tree has to hold.
type treeCase struct {
	Name string `json:"name"`
	// Before is run first, and is not looked at.
	Before string `json:"before"`
	Run    string `json:"run"`
	// Steps are lines of kinds, or of kinds and what stands in their line of the tree, each below
	// the one before it that is less indented. `3 x` is how often at least.
	Steps []string `json:"steps"`
	// Tab are further ones, of steps that only the tab has: the overlay's hooks tell them.
	Tab []string `json:"tab"`
	// Absent are kinds that must not be there.
	Absent []string `json:"absent"`
	// After are run at the end.
	After string `json:"after"`
}

// TestTraceTrees: each command is one tree, which has the steps of the table with their causes.
// The table is shared with the browser's test.
func TestTraceTrees(t *testing.T) {
	text, err := os.ReadFile("testdata/trees.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []treeCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Cleanup(func() {
				terminal(context.Background(), c.After, &bytes.Buffer{}, &bytes.Buffer{})
			})
			if c.Before != "" {
				run(t, c.Before)
			}
			root, output := traceLine(t, c.Run)
			v := bus.View(true)
			defer v.Close()
			ctx, cancel := context.WithTimeout(t.Context(), typed.Patience)
			defer cancel()
			for {
				problem := c.missing(bus.Tree(root))
				if problem == "" {
					break
				}
				if _, err := v.Next(ctx, 1000); err != nil {
					t.Fatalf("%s\n$ %s\n%s%s", problem, c.Run, output, bus.Tree(root))
				}
			}
			if testing.Verbose() {
				t.Logf("$ %s\n%s", c.Run, bus.Tree(root))
			}
		})
	}
}

var expected = regexp.MustCompile(`^( *)(?:(\d+) x )?(\S+)(?: (.*))?$`)

// missing says what a tree lacks of what is expected, or has too much.
func (c *treeCase) missing(tree *trace.Tree) string {
	if tree == nil {
		return "there is no tree"
	}
	below := []*trace.Tree{{Children: []*trace.Tree{tree}}}
	var path [][]*trace.Tree // of each depth, what was found
	path = append(path, below)
	for _, line := range c.Steps {
		m := expected.FindStringSubmatch(line)
		if m == nil {
			return fmt.Sprintf("the table has %q", line)
		}
		depth, want := len(m[1])/2, 1
		if m[2] != "" {
			fmt.Sscan(m[2], &want)
		}
		if depth >= len(path) {
			return fmt.Sprintf("the table indents %q too far", line)
		}
		path = path[:depth+1]
		var found []*trace.Tree
		for _, above := range path[depth] {
			for _, child := range above.Children {
				child.Walk(func(n *trace.Tree, _ int) {
					first, _, _ := strings.Cut((&trace.Tree{Step: n.Step}).String(), "\n")
					details := string(n.Step.JSON(true))
					if n.Kind.Name == m[3] && (strings.Contains(first, m[4]) || strings.Contains(details, m[4])) {
						found = append(found, n)
					}
				})
			}
		}
		if len(found) < want {
			return fmt.Sprintf("%q was found %d times", line, len(found))
		}
		path = append(path, found)
	}
	problem := ""
	tree.Walk(func(n *trace.Tree, _ int) {
		for _, kind := range c.Absent {
			if n.Kind.Name == kind {
				problem = "there is " + kind
			}
		}
	})
	return problem
}

// TestTraceHoldsNoSecrets puts a canary wherever a secret can be, while somebody looks, and finds it
// nowhere in what the bus holds.
func TestTraceHoldsNoSecrets(t *testing.T) {
	const canary = "CANARY7d41"
	v := bus.View(true) // so that differences are kept, too
	defer v.Close()
	client, err := kubernetes.NewForConfig(running.PageConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	run := func(line string) string {
		var out bytes.Buffer
		terminal(ctx, line, &out, &out)
		return out.String()
	}
	t.Cleanup(func() {
		terminal(context.Background(), "kubectl delete deployment/canary secret/canary secret/canary-applied secret/canary-raw configmap/canary pod/canary pod/canary-probed pod/canary-pulled pod/canary-unstarted pod/canary-unhooked secret/canary-registry crd/canaries.example.com --now", &bytes.Buffer{}, &bytes.Buffer{})
	})
	// The lines are shared with the browser's test, in whose cluster the overlay's hooks tell more.
	lines, err := os.ReadFile("testdata/secrets.txt")
	if err != nil {
		t.Fatal(err)
	}
	// As base64 has it, and how each token of the cluster's own begins.
	secrets := []string{canary, "Q0FOQVJZ", "eyJhbGciOi"}
	for line := range strings.Lines(string(lines)) {
		out := run(strings.ReplaceAll(strings.TrimSpace(line), "CANARY", canary))
		if strings.HasPrefix(line, "kubectl create token") {
			if !strings.HasPrefix(out, secrets[2]) {
				t.Fatalf("there is no token: %s", out)
			}
			secrets = append(secrets, strings.TrimSpace(out))
		}
	}
	// A change that is refused quotes the pod's specification.
	if out := run("kubectl patch pod canary -p '{\"spec\":{\"containers\":[{\"name\":\"canary\",\"env\":[{\"name\":\"OTHER\",\"value\":\"" + canary + "\"}]}]}}'"); !strings.Contains(out, "Forbidden") && !strings.Contains(out, "forbidden") {
		t.Errorf("a pod's environment was changed: %s", out)
	}
	probed(t, canary)
	// So that a plugin changes an object with secrets in it.
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "canary-", Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: canary}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "c", Image: "busybox", Command: []string{"echo", canary}, Args: []string{canary},
			Env:           []corev1.EnvVar{{Name: "A", Value: canary}},
			LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{canary}}}},
		}}},
	}
	made, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Pods("default").Delete(ctx, made.Name, *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts("default").CreateToken(ctx, "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bearer := rest.AnonymousClientConfig(running.AdminConfig())
	bearer.BearerToken = token.Status.Token
	stranger, err := kubernetes.NewForConfig(bearer)
	if err != nil {
		t.Fatal(err)
	}
	refused := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "no"}}
	if _, err := stranger.CoreV1().ConfigMaps("default").Create(ctx, refused, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the token is not good: %v", err)
	}
	run("kubectl --token=" + token.Status.Token + " auth whoami")
	secrets = append(secrets, token.Status.Token)
	steps, _ := bus.All()
	differences := 0
	for i := range steps {
		// What is exported, and what the page is told.
		text := string(steps[i].JSON(true)) + string(steps[i].BriefJSON())
		differences += strings.Count(text, `"changed"`)
		for _, secret := range secrets {
			if strings.Contains(text, secret) || strings.Contains(fmt.Sprintf("%+v", steps[i]), secret) {
				t.Errorf("a secret is in %s", text)
			}
		}
	}
	if differences == 0 {
		t.Error("no difference was kept while somebody looked: nothing was tried")
	}
	// What the journey is shown of what lies in the store: of Events it shows none.
	if running.Store() != nil {
		v := etcdview.New(running.Store().Inspect(), bus)
		walk(t, v, "/registry/", func(e etcdview.Entry) {
			o, err := v.Object(e.Name, etcdview.Options{Format: "json", Cut: true})
			if err != nil || strings.HasPrefix(e.Name, "/registry/events/") {
				return // it may have gone in the meantime
			}
			for _, secret := range secrets {
				if strings.Contains(o.Text, secret) {
					t.Errorf("a secret is in %s: %s", e.Name, o.Text)
				}
			}
		})
	}
	// What the lines are to have reached: a command in a container, a registry that is told who asks, a token's answer.
	for _, of := range []struct{ kind, details, subresource string }{
		{"cri.ExecSync", `"cmd":["` + trace.Withheld, ""}, {"cri.PullImage", `"password":"` + trace.Withheld, ""}, {"apiserver.request", "", "token"},
	} {
		if !slices.ContainsFunc(steps, func(s trace.Step) bool {
			return s.Object.Subresource == of.subresource && hasKind([]trace.Step{s}, of.kind, of.details)
		}) {
			t.Errorf("there is no %+v: nothing was tried", of)
		}
	}
}

// probed runs a pod whose probes, hook, headers, volumes and environment hold the canary, until its kubelet has
// told of each.
func probed(t *testing.T, canary string) {
	t.Helper()
	manifest := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"canary-probed"},"spec":{
		"volumes":[{"name":"s","secret":{"secretName":"canary"}},{"name":"c","configMap":{"name":"canary"}},
			{"name":"p","projected":{"sources":[{"secret":{"name":"canary"}},{"configMap":{"name":"canary"}}]}}],
		"initContainers":[{"name":"first","image":"busybox","command":["echo","CANARY"]}],
		"containers":[{"name":"c","image":"busybox","command":["sh","-c","sleep 1000; echo CANARY"],
			"env":[{"name":"E","valueFrom":{"secretKeyRef":{"name":"canary","key":"key"}}}],
			"envFrom":[{"configMapRef":{"name":"canary"}},{"secretRef":{"name":"canary"}}],
			"volumeMounts":[{"name":"s","mountPath":"/s"},{"name":"c","mountPath":"/c"},{"name":"p","mountPath":"/p"}],
			"lifecycle":{"postStart":{"exec":{"command":["sh","-c","cat /s/key; echo CANARY"]}}},
			"startupProbe":{"exec":{"command":["sh","-c","cat /s/key /p/key; echo CANARY"]},"periodSeconds":1},
			"livenessProbe":{"exec":{"command":["sh","-c","echo CANARY; cat /c/key; exit 1"]},"periodSeconds":1,"failureThreshold":1000},
			"readinessProbe":{"httpGet":{"port":80,"path":"/","httpHeaders":[{"name":"Authorization","value":"CANARY"}]},"periodSeconds":1}}]}}`
	stepsUntil(t, "canary-probed", func() {
		out := run(t, "cat > probed.json <<'END'\n"+strings.ReplaceAll(manifest, "CANARY", canary)+"\nEND\nkubectl create -f probed.json")
		if !strings.Contains(out, "created") {
			t.Fatal(out)
		}
	}, func(steps []trace.Step) bool {
		for kind, details := range map[string]string{
			"kubelet.probe": "Startup", "kubelet.event": "Liveness", "kubelet.volume": "secret", "cri.StartContainer": "", "cri.ExecSync": "",
		} {
			if !hasKind(steps, kind, details) {
				return false
			}
		}
		return hasKind(steps, "kubelet.event", "Readiness") && hasKind(steps, "kubelet.volume", "projected")
	})
}

// TestStrangersCannotNameACause: an Audit-ID that this process did not give is the request's own, and
// names nothing.
func TestStrangersCannotNameACause(t *testing.T) {
	v := bus.View(true)
	defer v.Close()
	config := running.AdminConfig()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	const uuid = "8d6cbdf4-0b1c-4b8e-9d0a-000000000001"
	var caused []*trace.Step
	body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"stranger-"}}`
	if err := client.CoreV1().RESTClient().Post().AbsPath("/api/v1/namespaces/default/configmaps").
		SetHeader("Audit-ID", uuid).SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		batch, err := v.Next(ctx, 1000)
		if err != nil {
			t.Fatal("the request was not told:", err)
		}
		for i := range batch.Steps {
			s := &batch.Steps[i]
			if !strings.Contains(string(s.JSON(true)), uuid) {
				continue
			}
			// A request is told when it has ended, and what it caused before.
			if s.Kind.Name != "apiserver.request" {
				caused = append(caused, s)
				continue
			}
			if s.Cause != 0 {
				t.Errorf("%s", s.JSON(true))
			}
			for _, c := range caused {
				if c.Cause != s.ID {
					t.Errorf("%s is not of the request, %d", c.JSON(true), s.ID)
				}
			}
			return
		}
	}
}
