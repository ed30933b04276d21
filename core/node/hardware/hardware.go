package hardware

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/google/cadvisor/cache/memory"
	cadvisorapi "github.com/google/cadvisor/info/v1"
	cadvisorapiv2 "github.com/google/cadvisor/info/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	kubelettypes "k8s.io/kubelet/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"

	"github.com/tabernetes/tabernetes/core/node/nodefs"
)

// OSImage is node.status.nodeInfo.osImage of every in-tab node.
const OSImage = "Tabernetes"

// rootDevice names the one file system of a node; images are on it as well.
const rootDevice = "tabfs"

// usageMaxAge is how old file system figures may be. Counting walks the node's
// directory; the kubelet asks each 10 s and once per pod in its summary.
const usageMaxAge = nodefs.MaxAge

// StatsLister is the part of the CRI that tells what pods and containers are and use.
type StatsLister interface {
	ListContainerStats(ctx context.Context, filter *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error)
	ListPodSandboxStats(ctx context.Context, filter *runtimeapi.PodSandboxStatsFilter) ([]*runtimeapi.PodSandboxStats, error)
	ListPodSandbox(ctx context.Context, filter *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error)
	ContainerStatus(ctx context.Context, id string, verbose bool) (*runtimeapi.ContainerStatusResponse, error)
}

// Options are how large the hardware is.
type Options struct {
	// Name is the node's name; it makes the machine's id, which stays the same
	// when the same node starts again.
	Name string
	// RootDir is the node's root file system.
	RootDir string
	// Cores, and sizes in bytes.
	Cores                 int
	MemoryBytes           uint64
	EphemeralStorageBytes uint64
	// Disk is the node's file system. Default: one of EphemeralStorageBytes at RootDir.
	Disk *nodefs.FS
	// Reserved is kept from pods: capacity minus this is allocatable.
	Reserved corev1.ResourceList
	// Processors say who gets which of the cores. Default: nobody gets one alone.
	Processors Processors
	// Stats tells the usage of containers.
	Stats StatsLister
	// Pods tells what pods may use, as the runtime was told last. Default: nobody knows.
	Pods PodLister
}

// PodLister is a container runtime that knows what each pod may use, and of its containers what the CRI has no field for.
type PodLister interface {
	// PodResources are nil for a pod that does not run.
	PodResources(uid string) *runtimeapi.LinuxContainerResources
	// ContainerProcesses are a container's, how many it may have, and what files they have open; 0 if it does not run.
	ContainerProcesses(id string) (processes, most, files int)
}

// Simulated is the hardware of one node. It implements cadvisor.Interface. Make one with New.
type Simulated struct {
	opts   Options
	bootID string
	booted time.Time

	mu   sync.Mutex
	last cpuSample
	// seen is what each container has used, and gone what those that left had: the node's own never
	// goes back.
	seen map[string]uint64
	gone uint64
}

type cpuSample struct {
	at    time.Time
	total uint64 // nanoseconds of CPU since boot
}

var _ cadvisor.Interface = (*Simulated)(nil)

// New boots the machine: it gets a fresh boot id.
func New(opts Options) *Simulated {
	if opts.Disk == nil {
		opts.Disk = nodefs.New(opts.RootDir, nodefs.Sized(opts.EphemeralStorageBytes), nil)
	}
	return &Simulated{opts: opts, bootID: string(uuid.NewUUID()), booted: time.Now()}
}

// Start has nothing to do.
func (m *Simulated) Start() error { return nil }

// MachineInfo tells the size and identity of the machine. One NUMA node with
// one thread per core is what the kubelet's topology code needs to be content.
func (m *Simulated) MachineInfo() (*cadvisorapi.MachineInfo, error) {
	sum := sha256.Sum256([]byte("tabernetes node " + m.opts.Name))
	id := hex.EncodeToString(sum[:16])
	node := cadvisorapi.Node{Id: 0, Memory: m.opts.MemoryBytes}
	for i := range m.opts.Cores {
		node.Cores = append(node.Cores, cadvisorapi.Core{Id: i, Threads: []int{i}})
	}
	return &cadvisorapi.MachineInfo{
		Timestamp:        m.booted,
		NumCores:         m.opts.Cores,
		NumPhysicalCores: m.opts.Cores,
		NumSockets:       1,
		MemoryCapacity:   m.opts.MemoryBytes,
		MachineID:        id,
		SystemUUID:       fmt.Sprintf("%s-%s-%s-%s-%s", id[:8], id[8:12], id[12:16], id[16:20], id[20:32]),
		BootID:           m.bootID,
		Topology:         []cadvisorapi.Node{node},
	}, nil
}

// VersionInfo names the Go runtime as the kernel, because it is what schedules
// the node's programs and carries their system calls.
func (m *Simulated) VersionInfo() (*cadvisorapi.VersionInfo, error) {
	return &cadvisorapi.VersionInfo{
		KernelVersion:      fmt.Sprintf("%s-%s-%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		ContainerOsVersion: OSImage,
	}, nil
}

// ContainerInfoV2 knows the root cgroup and, without those below them, pods'.
func (m *Simulated) ContainerInfoV2(name string, _ cadvisorapiv2.RequestOptions) (map[string]cadvisorapiv2.ContainerInfo, error) {
	if uid, ok := strings.CutPrefix(name, podCgroupPrefix); ok {
		return m.podInfo(name, uid)
	}
	if name != "/" {
		return nil, fmt.Errorf("cgroup %q: %w", name, memory.ErrDataNotFound)
	}
	stats, err := m.rootStats()
	if err != nil {
		return nil, err
	}
	return map[string]cadvisorapiv2.ContainerInfo{"/": {
		Spec: cadvisorapiv2.ContainerSpec{
			CreationTime: m.booted,
			HasCpu:       true,
			HasMemory:    true,
			Memory:       cadvisorapiv2.MemorySpec{Limit: m.opts.MemoryBytes},
		},
		Stats: []*cadvisorapiv2.ContainerStats{stats},
	}}, nil
}

// podInfo sums what the runtime reports for the containers of one pod.
func (m *Simulated) podInfo(name, uid string) (map[string]cadvisorapiv2.ContainerInfo, error) {
	ctx, cancel := context.WithTimeout(context.Background(), usageMaxAge)
	defer cancel()
	containers, err := m.opts.Stats.ListContainerStats(ctx, &runtimeapi.ContainerStatsFilter{
		LabelSelector: map[string]string{kubelettypes.KubernetesPodUIDLabel: uid},
	})
	if err != nil {
		return nil, fmt.Errorf("list container stats of pod %s: %w", uid, err)
	}
	out := &cadvisorapiv2.ContainerStats{Timestamp: time.Now(), Cpu: &cadvisorapi.CpuStats{}, Memory: &cadvisorapi.MemoryStats{}}
	for _, c := range containers {
		u := usageOf(c)
		out.Cpu.Usage.Total += u.cpu
		out.Memory.WorkingSet += u.workingSet
		out.Memory.Usage += u.usage
		out.Memory.RSS += u.rss
	}
	return map[string]cadvisorapiv2.ContainerInfo{name: {
		Spec:  cadvisorapiv2.ContainerSpec{CreationTime: m.booted, HasCpu: true, HasMemory: true, Memory: cadvisorapiv2.MemorySpec{Limit: m.opts.MemoryBytes}},
		Stats: []*cadvisorapiv2.ContainerStats{out},
	}}, nil
}

// used sums what the runtime reports for all containers, those that have gone among them.
func (m *Simulated) used(ctx context.Context) (usage, error) {
	containers, err := m.opts.Stats.ListContainerStats(ctx, &runtimeapi.ContainerStatsFilter{})
	if err != nil {
		return usage{}, fmt.Errorf("list container stats: %w", err)
	}
	var sum usage
	seen := map[string]uint64{}
	for _, c := range containers {
		u := usageOf(c)
		seen[c.GetAttributes().GetId()] = u.cpu
		sum.workingSet += u.workingSet
		sum.usage += u.usage
		sum.rss += u.rss
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, used := range m.seen {
		if _, ok := seen[id]; !ok {
			m.gone += used
		}
	}
	m.seen = seen
	sum.cpu = m.gone
	for _, used := range seen {
		sum.cpu += used
	}
	return sum, nil
}

// rootStats is what the node uses, and how fast since it was asked last.
func (m *Simulated) rootStats() (*cadvisorapiv2.ContainerStats, error) {
	ctx, cancel := context.WithTimeout(context.Background(), usageMaxAge)
	defer cancel()
	sum, err := m.used(ctx)
	if err != nil {
		return nil, err
	}
	now, cpu := time.Now(), sum.cpu
	m.mu.Lock()
	defer m.mu.Unlock()
	out := &cadvisorapiv2.ContainerStats{
		Timestamp: now,
		Cpu:       &cadvisorapi.CpuStats{Usage: cadvisorapi.CpuUsage{Total: cpu}},
		Memory:    &cadvisorapi.MemoryStats{Usage: sum.usage, WorkingSet: sum.workingSet, RSS: sum.rss},
	}
	if elapsed := now.Sub(m.last.at); !m.last.at.IsZero() && elapsed > 0 && cpu >= m.last.total {
		rate := float64(cpu-m.last.total) / elapsed.Seconds()
		out.CpuInst = &cadvisorapiv2.CpuInstStats{Usage: cadvisorapiv2.CpuInstUsage{Total: uint64(rate)}}
	}
	m.last = cpuSample{at: now, total: cpu}
	return out, nil
}
