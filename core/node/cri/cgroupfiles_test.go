package cri

import (
	"strings"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// say is what a command prints in a running container, errors included.
func (f *fixture) say(id string, command ...string) string {
	f.t.Helper()
	stdout, stderr, _ := f.ExecSync(f.t.Context(), id, command, 0)
	return strings.TrimSpace(string(stdout) + string(stderr))
}

func TestAContainersControlGroup(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("main", "/bin/forever")
	config.Linux = &runtimeapi.LinuxContainerConfig{Resources: &runtimeapi.LinuxContainerResources{
		CpuPeriod: 100_000, CpuQuota: 50_000, CpuShares: 256, MemoryLimitInBytes: 32 << 20,
	}}
	id, err := f.CreateContainer(t.Context(), sandbox, config, sc)
	if err == nil {
		err = f.StartContainer(t.Context(), id)
	}
	if err != nil {
		t.Fatal(err)
	}
	shows := func(want map[string]string) {
		t.Helper()
		for name, want := range want {
			if got := f.say(id, "/bin/cat", "/sys/fs/cgroup/"+name); got != want {
				t.Errorf("%s: %q, not %q", name, got, want)
			}
		}
	}
	shows(map[string]string{"cpu.max": "50000 100000", "cpu.weight": "35", "memory.max": "33554432", "memory.high": "max", "pids.max": "256"})
	err = f.UpdateContainerResources(t.Context(), id, &runtimeapi.ContainerResources{Linux: &runtimeapi.LinuxContainerResources{
		CpuQuota: 80_000, CpuShares: 1024, MemoryLimitInBytes: 48 << 20,
	}})
	if err != nil {
		t.Fatal(err)
	}
	shows(map[string]string{"cpu.max": "80000 100000", "cpu.weight": "100", "memory.max": "50331648"})
	if l := f.containers[id].cgroup.Limits(); l.Memory != 48<<20 || l.CPUQuota.Milliseconds() != 80 {
		t.Errorf("what holds after the update: %+v", l)
	}
	// No container gets more than the tab has at a stretch, whatever its pod says.
	if l := f.limits(&runtimeapi.LinuxContainerResources{MemoryLimitInBytes: 1 << 40}); l.Memory != 256<<20 {
		t.Errorf("a limit of a TiB is %d bytes", l.Memory)
	}
	if l := f.limits(nil); l.Memory != 64<<20 || l.Pids != 256 || l.Files != 1024 {
		t.Errorf("without limits: %+v", l)
	}
	if got := f.say(id, "/bin/write", "/sys/fs/cgroup/memory.max", "1"); !strings.Contains(got, "denied") {
		t.Errorf("a write by who is not root: %q", got)
	}
}

func TestAPodsMemoryLimit(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("main", "/bin/hoard")
	config.Linux = &runtimeapi.LinuxContainerConfig{Resources: &runtimeapi.LinuxContainerResources{MemoryLimitInBytes: 4 << 20}}
	id, err := f.CreateContainer(t.Context(), sandbox, config, sc)
	if err == nil {
		err = f.StartContainer(t.Context(), id)
	}
	if err != nil {
		t.Fatal(err)
	}
	if st := f.wait(id); st.ExitCode != 137 || st.Reason != "OOMKilled" {
		t.Errorf("exit code %d, reason %s", st.ExitCode, st.Reason)
	}
}

func TestSysctlsOfAPod(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod(func(sc *runtimeapi.PodSandboxConfig) {
		sc.Linux.Sysctls = map[string]string{"kernel.shm_rmid_forced": "1"}
	})
	id, err := f.CreateContainer(t.Context(), sandbox, f.containerConfig("main", "/bin/forever"), sc)
	if err == nil {
		err = f.StartContainer(t.Context(), id)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"kernel/shm_rmid_forced": "1", "net/ipv4/tcp_syncookies": "1", "net/ipv4/tcp_fin_timeout": "60"} {
		if got := f.say(id, "/bin/cat", "/proc/sys/"+name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range []string{"vm.swappiness", "net.ipv4.no_such", "kernel.hostname/../../x"} {
		if err := checkSysctls(map[string]string{name: "1"}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
