package cri

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	created = runtimeapi.ContainerState_CONTAINER_CREATED
	running = runtimeapi.ContainerState_CONTAINER_RUNNING
	exited  = runtimeapi.ContainerState_CONTAINER_EXITED
)

func wantCode(t *testing.T, what string, err error, code codes.Code) {
	t.Helper()
	if status.Code(err) != code {
		t.Errorf("%s: %v, want code %s", what, err, code)
	}
}

func TestContainerLifecycle(t *testing.T) {
	f := newFixture(t)
	before := time.Now().UnixNano()
	sandbox, sc := f.pod()
	config := f.containerConfig("main", "term", "7")
	config.Annotations = map[string]string{"a": "b"}
	id := f.create(sandbox, sc, config)
	st := f.status(id)
	if st.State != created || st.StartedAt != 0 || st.FinishedAt != 0 || st.CreatedAt < before {
		t.Errorf("created: %+v", st)
	}
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	st = f.status(id)
	if st.State != running || st.StartedAt < st.CreatedAt || st.FinishedAt != 0 || st.Reason != "" {
		t.Errorf("running: %+v", st)
	}
	if st.Image.Image != "docker.io/library/test:latest" || st.ImageId != config.Image.Image ||
		!strings.HasPrefix(st.ImageRef, "docker.io/library/test@sha256:") || st.Annotations["a"] != "b" ||
		st.LogPath != sc.LogDirectory+"/main/0.log" || st.StopSignal != runtimeapi.Signal_SIGTERM {
		t.Errorf("status: %+v", st)
	}
	wantCode(t, "start twice", f.StartContainer(t.Context(), id), codes.Unknown)
	if err := f.StopContainer(t.Context(), id, 30); err != nil {
		t.Fatal(err)
	}
	st = f.status(id)
	if st.State != exited || st.ExitCode != 7 || st.Reason != "Error" || st.FinishedAt < st.StartedAt {
		t.Errorf("exited: %+v", st)
	}
	if out, _ := f.log(id, false); out != "started\nsignal TERM\n" {
		t.Errorf("log: %q", out)
	}
	// All of it may be repeated.
	for range 2 {
		if err := f.StopContainer(t.Context(), id, 1); err != nil {
			t.Errorf("stop again: %v", err)
		}
	}
	c, _ := f.container(id)
	for range 2 {
		if err := f.RemoveContainer(t.Context(), id); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
	if _, err := os.Stat(c.dir); !os.IsNotExist(err) {
		t.Errorf("the root directory outlives the container: %v", err)
	}
	if _, err := os.Stat(st.LogPath); err != nil {
		t.Errorf("the log goes with the container: %v", err)
	}
	_, err := f.ContainerStatus(t.Context(), id, false)
	wantCode(t, "status after removal", err, codes.NotFound)
	wantCode(t, "start after removal", f.StartContainer(t.Context(), id), codes.NotFound)
	if err := f.StopContainer(t.Context(), id, 1); err != nil {
		t.Errorf("stop after removal: %v", err)
	}
}

func TestExitCodesAndReasons(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		command []string
		code    int32
		reason  string
	}{
		{[]string{"exit", "0"}, 0, "Completed"},
		{[]string{"exit", "3"}, 3, "Error"},
		{[]string{"panic"}, 134, "Error"},
		{[]string{"script"}, 0, "Completed"},
	} {
		id, _ := f.start(c.command...)
		if st := f.wait(id); st.ExitCode != c.code || st.Reason != c.reason {
			t.Errorf("%v: code %d, reason %s; want %d, %s", c.command, st.ExitCode, st.Reason, c.code, c.reason)
		}
	}
}

func TestPanicIsInTheLog(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("panic")
	f.wait(id)
	if _, stderr := f.log(id, false); !strings.Contains(stderr, "out of cheese") || !strings.Contains(stderr, "harness_test.go") {
		t.Errorf("stderr: %s", stderr)
	}
}

func TestStopKillsAfterGrace(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("forever")
	start := time.Now()
	if err := f.StopContainer(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < time.Second || took > 5*time.Second {
		t.Errorf("a grace of 1 s took %s", took)
	}
	if st := f.status(id); st.State != exited || st.ExitCode != 137 || st.Reason != "Error" {
		t.Errorf("killed: %+v", st)
	}
	// Without grace, at once; and what never returns is left behind.
	id, _ = f.start("stubborn")
	start = time.Now()
	if err := f.StopContainer(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > killGrace+5*time.Second {
		t.Errorf("a kill took %s", took)
	}
	if st := f.status(id); st.State != exited || st.ExitCode != 137 {
		t.Errorf("left behind: %+v", st)
	}
}

func TestStartErrors(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct{ command, want string }{
		{"nosuch", `exec: "nosuch": executable file not found in $PATH`},
		{"/bin/nosuch", `exec: "/bin/nosuch": stat /bin/nosuch: no such file or directory`},
		{"/bin/noexec", `exec: "/bin/noexec": permission denied`},
		{"/data", `exec: "/data": permission denied`},
		{"/bin/plain", `exec: "/bin/plain": exec format error`},
		{"/bin/broken", `exec: "/bin/broken": interpreter /bin/nosuch: stat /bin/nosuch: no such file or directory`},
	} {
		sandbox, sc := f.pod()
		id := f.create(sandbox, sc, f.containerConfig("main", c.command))
		err := f.StartContainer(t.Context(), id)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("start %s: %v, want %s", c.command, err, c.want)
		}
		st := f.status(id)
		if st.State != exited || st.ExitCode != 128 || st.Reason != "StartError" || !strings.Contains(st.Message, c.want) || st.FinishedAt == 0 {
			t.Errorf("start %s: %+v", c.command, st)
		}
		// Its log is there, as containerd has it: who asks for it is told nothing, and no path of a node's.
		if log, err := os.ReadFile(st.LogPath); err != nil || len(log) > 0 {
			t.Errorf("the log of %s: %q, %v", c.command, log, err)
		}
	}
}

func TestCreateErrors(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	_, err := f.CreateContainer(t.Context(), "nosuch", f.containerConfig("c", "pwd"), sc)
	wantCode(t, "no sandbox", err, codes.NotFound)
	config := f.containerConfig("c", "pwd")
	config.Image = &runtimeapi.ImageSpec{Image: "never/pulled"}
	_, err = f.CreateContainer(t.Context(), sandbox, config, sc)
	wantCode(t, "no image", err, codes.NotFound)
	_, err = f.CreateContainer(t.Context(), sandbox, &runtimeapi.ContainerConfig{}, sc)
	wantCode(t, "no metadata", err, codes.InvalidArgument)
	first := f.create(sandbox, sc, f.containerConfig("c", "pwd"))
	_, err = f.CreateContainer(t.Context(), sandbox, f.containerConfig("c", "pwd"), sc)
	if err == nil || !strings.Contains(err.Error(), "is reserved for \""+first) {
		t.Errorf("the same name twice: %v", err)
	}
	second := f.containerConfig("c", "pwd")
	second.Metadata.Attempt = 1
	f.create(sandbox, sc, second)
	if err := f.RemoveContainer(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	f.create(sandbox, sc, f.containerConfig("c", "pwd"))
	if err := f.StopPodSandbox(t.Context(), sandbox); err != nil {
		t.Fatal(err)
	}
	_, err = f.CreateContainer(t.Context(), sandbox, f.containerConfig("d", "pwd"), sc)
	wantCode(t, "in a stopped sandbox", err, codes.Unknown)
}

func TestListContainers(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	a := f.create(sandbox, sc, f.containerConfig("a", "forever"))
	b := f.create(sandbox, sc, f.containerConfig("b", "forever"))
	c, _ := f.start("forever")
	if err := f.StartContainer(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	state := func(s runtimeapi.ContainerState) *runtimeapi.ContainerStateValue {
		return &runtimeapi.ContainerStateValue{State: s}
	}
	for i, q := range []struct {
		filter *runtimeapi.ContainerFilter
		want   []string
	}{
		{nil, []string{a, b, c}},
		{&runtimeapi.ContainerFilter{}, []string{a, b, c}},
		{&runtimeapi.ContainerFilter{Id: b}, []string{b}},
		{&runtimeapi.ContainerFilter{Id: b[:13]}, []string{b}},
		{&runtimeapi.ContainerFilter{PodSandboxId: sandbox}, []string{a, b}},
		{&runtimeapi.ContainerFilter{State: state(running)}, []string{a, c}},
		{&runtimeapi.ContainerFilter{State: state(created), PodSandboxId: sandbox}, []string{b}},
		{&runtimeapi.ContainerFilter{LabelSelector: map[string]string{"name": "a"}}, []string{a}},
		{&runtimeapi.ContainerFilter{LabelSelector: map[string]string{"name": "a", "x": "y"}}, nil},
		{&runtimeapi.ContainerFilter{Id: "none"}, nil},
	} {
		list, err := f.ListContainers(t.Context(), q.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range list {
			got = append(got, l.Id)
			if l.ImageId != l.ImageRef || l.Image.Image != "docker.io/library/test:latest" {
				t.Errorf("listed: %+v", l)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(q.want) {
			t.Errorf("query %d: %v, want %v", i, got, q.want)
		}
	}
}

func TestUpdateContainerResources(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("a", "forever")
	config.Linux = &runtimeapi.LinuxContainerConfig{Resources: &runtimeapi.LinuxContainerResources{CpuShares: 102, MemoryLimitInBytes: 1 << 20}}
	id := f.create(sandbox, sc, config)
	if err := f.UpdateContainerResources(t.Context(), id, &runtimeapi.ContainerResources{Linux: &runtimeapi.LinuxContainerResources{CpuShares: 204}}); err != nil {
		t.Fatal(err)
	}
	if res := f.status(id).Resources.Linux; res.CpuShares != 204 || res.MemoryLimitInBytes != 1<<20 {
		t.Errorf("resources: %+v", res)
	}
}

func TestCut(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("forever")
	f.SetCut(true)
	_, err := f.Status(t.Context(), false)
	wantCode(t, "status", err, codes.Unavailable)
	wantCode(t, "stop", f.StopContainer(t.Context(), id, 0), codes.Unavailable)
	f.SetCut(false)
	if st := f.status(id); st.State != running {
		t.Errorf("the container did not outlive the cut: %+v", st)
	}
}
