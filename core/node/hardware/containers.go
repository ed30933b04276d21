package hardware

import (
	"context"
	"fmt"
	"time"

	cadvisorapi "github.com/google/cadvisor/info/v1"
	cadvisorapiv2 "github.com/google/cadvisor/info/v2"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// GetRequestedContainersInfo is what /metrics/cadvisor is made of: the node as a whole, and of each pod that runs the
// pod as a whole, its sandbox, which has the network, and its containers that run. Names are those of control groups as
// a machine's are, without the level of the class. The runtime is asked for all of it; what it does not measure (packets,
// reads and writes of disks, caches, sockets) upstream's collector tells as 0.
func (m *Simulated) GetRequestedContainersInfo(string, cadvisorapiv2.RequestOptions) (map[string]*cadvisorapi.ContainerInfo, error) {
	ctx, cancel := context.WithTimeout(context.Background(), usageMaxAge)
	defer cancel()
	node, err := m.used(ctx)
	if err != nil {
		return nil, err
	}
	root := info("/", "", cadvisorapi.ContainerSpec{CreationTime: m.booted, HasMemory: true, Memory: cadvisorapi.MemorySpec{Limit: m.opts.MemoryBytes}})
	root.Stats = []*cadvisorapi.ContainerStats{node.stats(time.Now())}
	all := map[string]*cadvisorapi.ContainerInfo{root.Name: root}
	sandboxes, err := m.opts.Stats.ListPodSandbox(ctx, &runtimeapi.PodSandboxFilter{})
	if err != nil {
		return nil, fmt.Errorf("list sandboxes: %w", err)
	}
	began := map[string]time.Time{}
	for _, s := range sandboxes {
		began[s.GetId()] = time.Unix(0, s.GetCreatedAt())
	}
	pods, err := m.opts.Stats.ListPodSandboxStats(ctx, &runtimeapi.PodSandboxStatsFilter{})
	if err != nil {
		return nil, fmt.Errorf("list stats of sandboxes: %w", err)
	}
	for _, p := range pods {
		for _, i := range m.podInfos(ctx, p, began[p.GetAttributes().GetId()]) {
			all[i.Name] = i
		}
	}
	return all, nil
}

// podInfos are a pod, its sandbox and its containers.
func (m *Simulated) podInfos(ctx context.Context, p *runtimeapi.PodSandboxStats, began time.Time) []*cadvisorapi.ContainerInfo {
	stats, uid := p.GetLinux(), p.GetAttributes().GetMetadata().GetUid()
	spec := cadvisorapi.ContainerSpec{CreationTime: began, Labels: p.GetAttributes().GetLabels()}
	if m.opts.Pods != nil {
		limit(&spec, m.opts.Pods.PodResources(uid))
	}
	pod := info(podCgroupPrefix+uid, "", spec)
	all := usage{
		cpu:        stats.GetCpu().GetUsageCoreNanoSeconds().GetValue(),
		workingSet: stats.GetMemory().GetWorkingSetBytes().GetValue(),
		usage:      stats.GetMemory().GetUsageBytes().GetValue(),
		rss:        stats.GetMemory().GetRssBytes().GetValue(),
	}.stats(time.Unix(0, stats.GetCpu().GetTimestamp()))
	all.Processes.ProcessCount = stats.GetProcess().GetProcessCount().GetValue()
	pod.Stats = []*cadvisorapi.ContainerStats{all}

	sandbox := info(pod.Name+"/"+p.GetAttributes().GetId(), p.GetAttributes().GetId(), cadvisorapi.ContainerSpec{CreationTime: began, Labels: p.GetAttributes().GetLabels(), HasNetwork: true})
	own := usage{}.stats(time.Unix(0, stats.GetCpu().GetTimestamp()))
	if n := stats.GetNetwork().GetDefaultInterface(); n != nil {
		own.Network.Interfaces = []cadvisorapi.InterfaceStats{{
			Name: n.GetName(), RxBytes: n.GetRxBytes().GetValue(), RxErrors: n.GetRxErrors().GetValue(),
			TxBytes: n.GetTxBytes().GetValue(), TxErrors: n.GetTxErrors().GetValue(),
		}}
	}
	sandbox.Stats = []*cadvisorapi.ContainerStats{own}
	infos := []*cadvisorapi.ContainerInfo{pod, sandbox}
	for _, c := range stats.GetContainers() {
		if i := m.containerInfo(ctx, pod.Name, c); i != nil {
			infos = append(infos, i)
		}
	}
	return infos
}

// containerInfo is nil for a container that has gone meanwhile.
func (m *Simulated) containerInfo(ctx context.Context, pod string, c *runtimeapi.ContainerStats) *cadvisorapi.ContainerInfo {
	id := c.GetAttributes().GetId()
	got, err := m.opts.Stats.ContainerStatus(ctx, id, false)
	if err != nil {
		return nil
	}
	spec := cadvisorapi.ContainerSpec{
		CreationTime: time.Unix(0, got.GetStatus().GetStartedAt()), Labels: c.GetAttributes().GetLabels(), Image: got.GetStatus().GetImage().GetImage(),
	}
	limit(&spec, got.GetStatus().GetResources().GetLinux())
	i := info(pod+"/"+id, id, spec)
	stats := usageOf(c).stats(time.Unix(0, c.GetCpu().GetTimestamp()))
	if m.opts.Pods != nil {
		processes, most, files := m.opts.Pods.ContainerProcesses(id)
		stats.Processes = cadvisorapi.ProcessStats{ // each process is one thread
			ProcessCount: uint64(processes), ThreadsCurrent: uint64(processes), ThreadsMax: uint64(most), FdCount: uint64(files),
		}
	}
	i.Stats = []*cadvisorapi.ContainerStats{stats}
	return i
}

// info is a control group of that name; alias is the container's id.
func info(name, alias string, spec cadvisorapi.ContainerSpec) *cadvisorapi.ContainerInfo {
	spec.HasCpu = true
	i := &cadvisorapi.ContainerInfo{ContainerReference: cadvisorapi.ContainerReference{Name: name}, Spec: spec}
	if alias != "" {
		i.Id, i.Aliases, i.Namespace = alias, []string{alias}, "containerd"
	}
	return i
}

// limit sets what may be used, as cAdvisor reads it of control groups: 0 is no limit.
func limit(spec *cadvisorapi.ContainerSpec, r *runtimeapi.LinuxContainerResources) {
	spec.HasMemory = true
	spec.Memory.Limit = uint64(max(r.GetMemoryLimitInBytes(), 0))
	spec.Cpu.Limit = uint64(max(r.GetCpuShares(), 0))
	spec.Cpu.Quota = uint64(max(r.GetCpuQuota(), 0))
	spec.Cpu.Period = uint64(max(r.GetCpuPeriod(), 0))
}

// usage is what somebody uses: nanoseconds of processor time, and bytes.
type usage struct{ cpu, workingSet, usage, rss uint64 }

func usageOf(c *runtimeapi.ContainerStats) usage {
	held := c.GetMemory().GetWorkingSetBytes().GetValue()
	return usage{
		cpu: c.GetCpu().GetUsageCoreNanoSeconds().GetValue(), workingSet: held,
		usage: max(c.GetMemory().GetUsageBytes().GetValue(), held), rss: c.GetMemory().GetRssBytes().GetValue(),
	}
}

// stats is that as cAdvisor has it; all processor time is the program's own, as no kernel works for it.
func (u usage) stats(at time.Time) *cadvisorapi.ContainerStats {
	return &cadvisorapi.ContainerStats{
		Timestamp: at,
		Cpu:       cadvisorapi.CpuStats{Usage: cadvisorapi.CpuUsage{Total: u.cpu, User: u.cpu}},
		Memory:    cadvisorapi.MemoryStats{Usage: u.usage, WorkingSet: u.workingSet, RSS: u.rss},
	}
}
