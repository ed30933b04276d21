package hardware

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/cadvisor/cache/memory"
	cadvisorapiv2 "github.com/google/cadvisor/info/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// containers is the stats of containers: CPU time in seconds, working set in bytes.
type containers []struct{ cpu, workingSet uint64 }

func (c containers) ListContainerStats(context.Context, *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error) {
	var out []*runtimeapi.ContainerStats
	for i, s := range c {
		out = append(out, &runtimeapi.ContainerStats{
			Attributes: &runtimeapi.ContainerAttributes{Id: strconv.Itoa(i + 1)},
			Cpu:        &runtimeapi.CpuUsage{UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: s.cpu * 1e9}},
			Memory:     &runtimeapi.MemoryUsage{WorkingSetBytes: &runtimeapi.UInt64Value{Value: s.workingSet}},
		})
	}
	return append(out, &runtimeapi.ContainerStats{}), nil // a container that just came has none
}

func (containers) ListPodSandboxStats(context.Context, *runtimeapi.PodSandboxStatsFilter) ([]*runtimeapi.PodSandboxStats, error) {
	return nil, nil
}

func (containers) ListPodSandbox(context.Context, *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	return nil, nil
}

func (containers) ContainerStatus(context.Context, string, bool) (*runtimeapi.ContainerStatusResponse, error) {
	return nil, errors.New("it has gone")
}

func newMachine(t *testing.T, stats StatsLister) *Simulated {
	return New(Options{
		Name: "node-1", RootDir: t.TempDir(), Cores: 2, MemoryBytes: 1 << 30,
		EphemeralStorageBytes: 1 << 20, Stats: stats,
		Reserved: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Mi")},
	})
}

func manager(t *testing.T, m *Simulated) cm.ContainerManager {
	t.Helper()
	c, err := m.ContainerManager()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRootUsageIsTheSumOfContainers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := containers{{1, 100}, {2, 200}}
		m := newMachine(t, &stats)
		infos, err := m.ContainerInfoV2("/", cadvisorapiv2.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		first := infos["/"].Stats[0]
		if first.Cpu.Usage.Total != 3e9 || first.Memory.WorkingSet != 300 || first.CpuInst != nil {
			t.Errorf("first sample: %+v %+v %+v", first.Cpu, first.Memory, first.CpuInst)
		}
		time.Sleep(2 * time.Second)
		stats[0].cpu = 2
		infos, _ = m.ContainerInfoV2("/", cadvisorapiv2.RequestOptions{})
		if got := infos["/"].Stats[0].CpuInst.Usage.Total; got != 5e8 {
			t.Errorf("1 s of CPU in 2 s is %d nanocores", got)
		}
		stats = stats[:1]
		time.Sleep(2 * time.Second)
		infos, _ = m.ContainerInfoV2("/", cadvisorapiv2.RequestOptions{})
		if s := infos["/"].Stats[0]; s.Cpu.Usage.Total != 4e9 || s.CpuInst.Usage.Total != 0 {
			t.Errorf("after a container has left: %d ns, %d nanocores", s.Cpu.Usage.Total, s.CpuInst.Usage.Total)
		}
		if _, err := m.ContainerInfoV2("/kubepods", cadvisorapiv2.RequestOptions{}); !errors.Is(err, memory.ErrDataNotFound) {
			t.Errorf("another cgroup: %v", err)
		}
	})
}

// ofOnePod has containers of one pod only.
type ofOnePod struct {
	uid string
	containers
}

func (o ofOnePod) ListContainerStats(ctx context.Context, f *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error) {
	if f.GetLabelSelector()["io.kubernetes.pod.uid"] != o.uid {
		return nil, nil
	}
	return o.containers.ListContainerStats(ctx, f)
}

// The kubelet lowers no memory limit of a pod before it knows what the pod uses: it asks by the name of
// the pod's control group.
func TestUsageOfAPod(t *testing.T) {
	m := newMachine(t, ofOnePod{"u-1", containers{{1, 100}, {2, 200}}})
	usage := func(uid string) (cpu, used uint64) {
		t.Helper()
		_, name := manager(t, m).NewPodContainerManager().GetPodContainerName(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)}})
		infos, err := m.ContainerInfoV2(name, cadvisorapiv2.RequestOptions{})
		if err != nil || len(infos[name].Stats) != 1 {
			t.Fatalf("%+v, %v", infos, err)
		}
		return infos[name].Stats[0].Cpu.Usage.Total, infos[name].Stats[0].Memory.Usage
	}
	if cpu, used := usage("u-1"); cpu != 3e9 || used != 300 {
		t.Errorf("a pod of two containers uses %d ns and %d bytes", cpu, used)
	}
	if cpu, used := usage("u-2"); cpu != 0 || used != 0 {
		t.Errorf("another pod uses %d ns and %d bytes", cpu, used)
	}
}

func TestFileSystemUsageIsCountedOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, containers{})
		file := filepath.Join(m.opts.RootDir, "f")
		if err := os.WriteFile(file, make([]byte, 1000), 0o644); err != nil {
			t.Fatal(err)
		}
		info, err := m.RootFsInfo()
		if err != nil || info.Usage != 1000 || info.Available != 1<<20-1000 || *info.Inodes-*info.InodesFree != 2 {
			t.Fatalf("%+v, %v", info, err)
		}
		if err := os.WriteFile(file, make([]byte, 2<<20), 0o644); err != nil {
			t.Fatal(err)
		}
		if info, _ := m.RootFsInfo(); info.Usage != 1000 {
			t.Errorf("counted again at once: %d", info.Usage)
		}
		time.Sleep(usageMaxAge)
		if info, _ := m.RootFsInfo(); info.Usage != 2<<20 || info.Available != 0 {
			t.Errorf("an overfull file system: %+v", info)
		}
	})
}

func TestIdentityStaysAndBootChanges(t *testing.T) {
	a, _ := newMachine(t, containers{}).MachineInfo()
	b, _ := newMachine(t, containers{}).MachineInfo()
	if a.SystemUUID != b.SystemUUID || a.MachineID != b.MachineID || len(a.SystemUUID) != 36 {
		t.Errorf("identities %s and %s", a.SystemUUID, b.SystemUUID)
	}
	if a.BootID == b.BootID {
		t.Error("two boots have one boot id")
	}
	if a.NumCores != 2 || len(a.Topology[0].Cores) != 2 {
		t.Errorf("cores: %+v", a)
	}
}

func TestAllocatable(t *testing.T) {
	cm := manager(t, newMachine(t, containers{}))
	if got := cm.GetCapacity(true)[corev1.ResourceEphemeralStorage]; got.Value() != 1<<20 {
		t.Errorf("ephemeral storage %v", got.Value())
	}
	if got := cm.GetNodeAllocatableReservation()[corev1.ResourceMemory]; got.Value() != 1<<20 {
		t.Errorf("reserved %v", got.Value())
	}
	if cfg, err := cm.NewPodContainerManager().GetPodCgroupConfig(&corev1.Pod{}, corev1.ResourceMemory); err == nil {
		t.Errorf("pod cgroup of a pod that is not there: %v", cfg)
	}
}

// onePod is what one pod may use.
type onePod struct {
	res *runtimeapi.LinuxContainerResources
}

func (p onePod) PodResources(string) *runtimeapi.LinuxContainerResources { return p.res }

func (onePod) ContainerProcesses(string) (processes, most, files int) { return 0, 0, 0 }

// The kubelet takes each field of a resource for there (kuberuntime_manager.go, doPodResizeAction).
func TestWhatAPodMayUseIsComplete(t *testing.T) {
	for name, res := range map[string]*runtimeapi.LinuxContainerResources{
		"no limits": {}, "hostile": {CpuShares: -1, CpuQuota: -5, CpuPeriod: -1, MemoryLimitInBytes: -1},
		"limits": {CpuShares: 512, CpuQuota: 1000, CpuPeriod: 100_000, MemoryLimitInBytes: 1 << 20},
	} {
		m := newMachine(t, containers{})
		m.opts.Pods = onePod{res}
		pods := manager(t, m).NewPodContainerManager()
		memory, err := pods.GetPodCgroupConfig(&corev1.Pod{}, corev1.ResourceMemory)
		if err != nil || memory.Memory == nil {
			t.Fatalf("%s: %+v, %v", name, memory, err)
		}
		cpu, err := pods.GetPodCgroupConfig(&corev1.Pod{}, corev1.ResourceCPU)
		if err != nil || cpu.CPUQuota == nil || cpu.CPUShares == nil || cpu.CPUPeriod == nil || *cpu.CPUPeriod != 100_000 {
			t.Fatalf("%s: %+v, %v", name, cpu, err)
		}
		if limits := name == "limits"; limits != (*memory.Memory == 1<<20) || limits != (*cpu.CPUQuota == 1000) {
			t.Errorf("%s: memory %d, quota %d", name, *memory.Memory, *cpu.CPUQuota)
		}
		// What the kubelet writes into the pod's status.
		if limits := name == "limits"; limits != (cm.MemoryLimitsFromConfig(memory) != nil) || limits != (cm.CPULimitsFromConfig(cpu) != nil) {
			t.Errorf("%s: the pod's status has the limits %v and %v", name, cm.MemoryLimitsFromConfig(memory), cm.CPULimitsFromConfig(cpu))
		}
	}
}
