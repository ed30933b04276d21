package cri

import (
	"encoding/json"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// sharesProcesses is a pod's configuration with shareProcessNamespace.
func sharesProcesses(c *runtimeapi.PodSandboxConfig) {
	c.Linux = &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
		NamespaceOptions: &runtimeapi.NamespaceOption{Pid: runtimeapi.NamespaceMode_POD}}}
}

// TestEachSandboxHasPause: it holds the pod's namespaces from the sandbox's start to its end, is told of, and
// no container sees it that has processes of its own.
func TestEachSandboxHasPause(t *testing.T) {
	bus := trace.New()
	f := newFixture(t, func(o *Options) { o.Trace = bus })
	v := bus.View(true)
	defer v.Close()
	sandbox, sc := f.pod(func(c *runtimeapi.PodSandboxConfig) {
		c.Linux = &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtimeapi.NamespaceOption{Pid: runtimeapi.NamespaceMode_CONTAINER}}}
	})
	id := f.create(sandbox, sc, f.containerConfig("a", "term", "0"))
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	type told struct {
		Sandbox    string
		PID        int
		Args       []string
		Processes  []program.Info
		Namespaces []namespace
	}
	check := func(what string, d told) {
		t.Helper()
		of := map[string]string{}
		for _, n := range d.Namespaces {
			of[n.Type] = n.Of
		}
		if of["network"] != "pod" || of["uts"] != "pod" || of["ipc"] != "pod" || of["pid"] != "container" {
			t.Errorf("%s: namespaces %+v", what, d.Namespaces)
		}
	}
	st, err := f.PodSandboxStatus(t.Context(), sandbox, true)
	if err != nil {
		t.Fatal(err)
	}
	var info told
	if err := json.Unmarshal([]byte(st.Info["info"]), &info); err != nil {
		t.Fatal(err)
	}
	check("status", info)
	if len(info.Processes) != 1 || info.Processes[0].PID != 1 || info.Processes[0].Args[0] != "/pause" {
		t.Errorf("status: processes %+v", info.Processes)
	}
	var step *told
	for step == nil {
		batch, err := v.Next(t.Context(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range batch.Steps {
			if s.Kind != pauseKind {
				continue
			}
			step = &told{}
			var all struct{ Details *told }
			all.Details = step
			if err := json.Unmarshal(s.JSON(true), &all); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("trace", *step)
	if step.Sandbox != sandbox || step.PID != 1 || len(step.Args) != 1 || step.Args[0] != "/pause" {
		t.Errorf("trace: %+v", step)
	}

	c, _ := f.container(id)
	eventually.True(t, "a process", func() bool { return len(c.processes.List()) == 1 })
	if list := c.processes.List(); len(list) != 1 || list[0].Args[0] != "term" {
		t.Errorf("the container sees %+v", list)
	}
	s, _ := f.sandbox(sandbox)
	if err := f.StopPodSandbox(t.Context(), sandbox); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "no process", func() bool { return len(s.pause.List()) == 0 })
}

// TestWhoEndsPauseEndsThePod: the processes of a pod that shares them end with number 1, and the sandbox is not
// ready, whereupon the kubelet makes another.
func TestWhoEndsPauseEndsThePod(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod(sharesProcesses)
	config := f.containerConfig("a", "forever")
	config.Linux = &runtimeapi.LinuxContainerConfig{SecurityContext: &runtimeapi.LinuxContainerSecurityContext{
		NamespaceOptions: &runtimeapi.NamespaceOption{Pid: runtimeapi.NamespaceMode_POD}}}
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s, _ := f.sandbox(sandbox)
	if err := s.processes.Signal(1, program.SIGKILL); err == nil {
		t.Error("number 1 is killed from within")
	}
	if err := s.processes.Signal(1, program.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if st := f.wait(id); st.ExitCode != 137 {
		t.Errorf("the container: %+v", st)
	}
	st, err := f.PodSandboxStatus(t.Context(), sandbox, false)
	if err != nil || st.Status.State != runtimeapi.PodSandboxState_SANDBOX_NOTREADY {
		t.Errorf("the sandbox: %v, %v", st, err)
	}
	if err := f.StopPodSandbox(t.Context(), sandbox); err != nil {
		t.Fatal(err)
	}
	if n := f.cni.InUse(); n != 0 {
		t.Errorf("%d addresses are not given back", n)
	}
}
