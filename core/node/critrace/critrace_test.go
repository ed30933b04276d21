package critrace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	utilexec "k8s.io/utils/exec"

	"github.com/tabernetes/tabernetes/core/trace"
)

// stand answers every call that the tests make; its embedded interface is nil.
type stand struct {
	Service
	err  error
	seen map[string]any
}

func (s *stand) RunPodSandbox(ctx context.Context, c *runtimeapi.PodSandboxConfig, _ string) (string, error) {
	s.seen = map[string]any{"cause": trace.Cause(ctx), "config": c}
	return "sandbox-1", s.err
}
func (s *stand) CreateContainer(_ context.Context, _ string, c *runtimeapi.ContainerConfig, _ *runtimeapi.PodSandboxConfig) (string, error) {
	s.seen = map[string]any{"config": c}
	return "container-1", s.err
}
func (s *stand) StartContainer(context.Context, string) error  { return s.err }
func (s *stand) RemoveContainer(context.Context, string) error { return s.err }
func (s *stand) PullImage(context.Context, *runtimeapi.ImageSpec, *runtimeapi.AuthConfig, *runtimeapi.PodSandboxConfig) (string, error) {
	return "sha256:1", s.err
}
func (s *stand) ExecSync(context.Context, string, []string, time.Duration) ([]byte, []byte, error) {
	return []byte("out " + canary), []byte("err " + canary), s.err
}
func (s *stand) Exec(context.Context, *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	return &runtimeapi.ExecResponse{Url: "http://10.0.0.1/exec/" + canary}, s.err
}
func (s *stand) ContainerStatus(context.Context, string, bool) (*runtimeapi.ContainerStatusResponse, error) {
	return &runtimeapi.ContainerStatusResponse{Info: map[string]string{"info": `{"env":"` + canary + `"}`}}, s.err
}

const canary = "c4n4ry-of-a-secret"

func sandbox() *runtimeapi.PodSandboxConfig {
	return &runtimeapi.PodSandboxConfig{
		Metadata:    &runtimeapi.PodSandboxMetadata{Name: "web", Namespace: "default", Uid: "uid-1"},
		Hostname:    "web",
		Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": canary, "kubernetes.io/config.source": "api"},
	}
}

func dump(t *testing.T, b *trace.Bus) string {
	t.Helper()
	steps, _ := b.All()
	var all strings.Builder
	for i := range steps {
		all.Write(steps[i].JSON(true))
		all.WriteByte('\n')
	}
	return all.String()
}

// TestCallsAreSteps: a pod's calls, each with its message, its answer, its pod and its cause.
func TestCallsAreSteps(t *testing.T) {
	bus := trace.New()
	inner := &stand{}
	r := Wrap(inner, Options{Bus: bus, Node: "node-1", By: Function, Cause: func(uid string) trace.ID { return 7 }})
	ctx := trace.With(t.Context(), 5)
	id, err := r.RunPodSandbox(ctx, sandbox(), "")
	if err != nil || id != "sandbox-1" {
		t.Fatal(id, err)
	}
	if _, err := r.CreateContainer(ctx, id, &runtimeapi.ContainerConfig{Metadata: &runtimeapi.ContainerMetadata{Name: "nginx"}}, sandbox()); err != nil {
		t.Fatal(err)
	}
	if err := r.StartContainer(t.Context(), "container-1"); err != nil {
		t.Fatal(err)
	}
	// What somebody runs in it comes of their request only.
	if _, err := r.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: "container-1"}); err != nil {
		t.Fatal(err)
	}
	steps, _ := bus.All()
	if len(steps) != 4 {
		t.Fatalf("%d steps:\n%s", len(steps), dump(t, bus))
	}
	for i, want := range []struct {
		kind     string
		cause    trace.ID
		inferred bool
	}{{"cri.RunPodSandbox", 5, false}, {"cri.CreateContainer", 5, false}, {"cri.StartContainer", 7, true}, {"cri.Exec", 0, false}} {
		s := steps[i]
		if s.Kind.Name != want.kind || s.Cause != want.cause || s.Inferred != want.inferred || s.Object.Name != "web" || s.Object.UID != "uid-1" || s.Node != "node-1" {
			t.Errorf("%s", s.JSON(true))
		}
	}
	if inner.seen == nil {
		t.Error("the runtime was not called")
	}
	var d struct {
		Method, By string
		Request    struct {
			Config struct{ Metadata struct{ Name string } }
		}
		Response struct{ PodSandboxID string }
	}
	b, err := json.Marshal(steps[0].Details)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if d.Method != "RunPodSandbox" || d.By != "a function call" || d.Request.Config.Metadata.Name != "web" || d.Response.PodSandboxID != "sandbox-1" {
		t.Errorf("%s", b)
	}
}

// TestTheRuntimeSeesItsCause: what a call makes happen below it has the call as its cause.
func TestTheRuntimeSeesItsCause(t *testing.T) {
	bus, inner := trace.New(), &stand{}
	if _, err := Wrap(inner, Options{Bus: bus}).RunPodSandbox(t.Context(), sandbox(), ""); err != nil {
		t.Fatal(err)
	}
	steps, _ := bus.All()
	if inner.seen["cause"] != steps[0].ID {
		t.Errorf("the runtime was called for %v, not %d", inner.seen["cause"], steps[0].ID)
	}
}

// TestErrors: a call that fails is a step with its error, and without an answer.
func TestErrors(t *testing.T) {
	bus := trace.New()
	r := Wrap(&stand{err: errors.New("no such image")}, Options{Bus: bus})
	if _, err := r.PullImage(t.Context(), &runtimeapi.ImageSpec{Image: "x"}, nil, sandbox()); err == nil {
		t.Error("the error is lost")
	}
	if got := dump(t, bus); !strings.Contains(got, `"error":"no such image"`) || strings.Contains(got, `"response"`) {
		t.Error(got)
	}
}

// TestSecretsAreCut: a canary in everything that may hold a secret is in no step, and the runtime got
// it all the same.
func TestSecretsAreCut(t *testing.T) {
	bus := trace.New()
	inner := &stand{}
	r := Wrap(inner, Options{Bus: bus})
	ctx := trace.With(t.Context(), 1)
	if _, err := r.RunPodSandbox(ctx, sandbox(), ""); err != nil {
		t.Fatal(err)
	}
	config := &runtimeapi.ContainerConfig{
		Metadata:    &runtimeapi.ContainerMetadata{Name: "c"},
		Envs:        []*runtimeapi.KeyValue{{Key: "PASSWORD", Value: []byte(canary)}},
		Command:     []string{"sh", "-c", "login " + canary},
		Args:        []string{"--password=" + canary},
		Annotations: map[string]string{"io.kubernetes.container.preStopHandler": canary, "io.kubernetes.container.restartCount": "3"},
	}
	if _, err := r.CreateContainer(ctx, "sandbox-1", config, sandbox()); err != nil {
		t.Fatal(err)
	}
	if got := inner.seen["config"].(*runtimeapi.ContainerConfig); got != config || string(got.Envs[0].Value) != canary || got.Args[0] != "--password="+canary {
		t.Errorf("the runtime was given %v", got)
	}
	auth := &runtimeapi.AuthConfig{Username: canary, Password: canary, Auth: canary, IdentityToken: canary, RegistryToken: canary, ServerAddress: "registry.example.com"}
	if _, err := r.PullImage(ctx, &runtimeapi.ImageSpec{Image: "x"}, auth, sandbox()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.ExecSync(ctx, "container-1", []string{"login", canary}, time.Second); err != nil {
		t.Fatal(err)
	}
	inner.err = utilexec.CodeExitError{Err: fmt.Errorf("command 'login %s' exited with 1: %s", canary, canary), Code: 1}
	if _, _, err := r.ExecSync(ctx, "container-1", []string{"login", canary}, time.Second); !strings.Contains(err.Error(), canary) {
		t.Errorf("the kubelet's error was changed: %v", err)
	}
	inner.err = fmt.Errorf("failed to create task: exec: %q: stat %s: no such file or directory", canary, canary)
	if err := r.StartContainer(ctx, "container-1"); !strings.Contains(err.Error(), canary) {
		t.Errorf("the kubelet's error was changed: %v", err)
	}
	inner.err = nil
	if _, err := r.Exec(ctx, &runtimeapi.ExecRequest{ContainerId: "container-1", Cmd: []string{canary}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ContainerStatus(ctx, "container-1", true); err != nil {
		t.Fatal(err)
	}
	got := dump(t, bus)
	if strings.Contains(got, canary) {
		t.Errorf("a secret is kept:\n%s", got)
	}
	for _, want := range []string{"PASSWORD", "registry.example.com", `"kubernetes.io/config.source":"api"`, `"io.kubernetes.container.restartCount":"3"`, "the command exited with 1", "exec: (not kept): no such file or directory"} {
		if !strings.Contains(strings.ReplaceAll(got, `": "`, `":"`), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestHostileMessages: names with markup are data, long and broken texts are cut, and so are long lists.
func TestHostileMessages(t *testing.T) {
	bus := trace.New()
	r := Wrap(&stand{}, Options{Bus: bus})
	c := sandbox()
	long := strings.Repeat("A", 64<<10)
	c.Hostname = "<script>alert(1)</script>"
	c.LogDirectory = long
	c.Labels = map[string]string{long: "x", "broken": "\xff\xfe", "a": long}
	c.DnsConfig = &runtimeapi.DNSConfig{}
	for range 5000 {
		c.DnsConfig.Searches = append(c.DnsConfig.Searches, "example.com")
	}
	c.Metadata.Name = long
	if _, err := r.RunPodSandbox(t.Context(), c, ""); err != nil {
		t.Fatal(err)
	}
	steps, _ := bus.All()
	b := steps[0].JSON(true)
	if len(b) > 20<<10 || strings.Contains(string(b), "<script>") || steps[0].Cut != "" || !strings.Contains(string(b), "u003cscript") {
		t.Errorf("%d bytes: %.300s", len(b), b)
	}
	if len(c.DnsConfig.Searches) != 5000 || c.LogDirectory != long {
		t.Error("the caller's message was changed")
	}
}

// TestReadsOnTheirOwnAreCounted: what nobody's sync asks for is no step.
func TestReadsOnTheirOwnAreCounted(t *testing.T) {
	bus := trace.New()
	r := Wrap(&stand{}, Options{Bus: bus}).(*Runtime)
	for range 3 {
		if _, err := r.ContainerStatus(t.Context(), "container-1", false); err != nil {
			t.Fatal(err)
		}
	}
	if steps, _ := bus.All(); len(steps) != 0 || r.Uncaused() != 3 {
		t.Errorf("%d steps, %d reads", len(steps), r.Uncaused())
	}
}

// TestALogIsLookedForOnce: what the runtime is asked for it comes of the goroutine that serves it, has a place of its
// own, and is told once, however often who follows a log asks.
func TestALogIsLookedForOnce(t *testing.T) {
	bus := trace.New()
	r := Wrap(&stand{}, Options{Bus: bus}).(*Runtime)
	trace.Mark(7)
	defer trace.Unmark()
	for range 3 {
		if _, err := r.ContainerStatus(t.Context(), "container-1", false); err != nil {
			t.Fatal(err)
		}
	}
	if steps, _ := bus.All(); len(steps) != 1 || steps[0].Cause != 7 || steps[0].Kind != logStatus {
		t.Errorf("%+v", steps)
	}
}

func TestNilBusIsTheRuntimeItself(t *testing.T) {
	s := &stand{}
	if Wrap(s, Options{}) != Service(s) {
		t.Error("wrapped without a bus")
	}
}

// TestProbesAreNotAllTold: a command that comes out the same each second is told now and then, with how many
// were not; another one, or another outcome, is told at once.
func TestProbesAreNotAllTold(t *testing.T) {
	bus, inner := trace.New(), &stand{}
	r := Wrap(inner, Options{Bus: bus})
	run := func(n int, cmd ...string) {
		t.Helper()
		for range n {
			if _, _, err := r.ExecSync(t.Context(), "container-1", cmd, time.Second); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(100, "cat", "/ready")
	run(1, "cat", "/live")
	run(1, "cat", "/", "live") // other words
	steps, _ := bus.All()
	var told []int
	for i := range steps {
		told = append(told, steps[i].Details.(*details).Same)
	}
	if want := []int{0, 59, 0, 0}; !slices.Equal(told, want) {
		t.Errorf("%v, want %v", told, want)
	}
}
