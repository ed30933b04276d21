package cri

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// usageEvery is how long a measured disk usage counts as recent; containerd's snapshotter
// measures as often.
const usageEvery = 10 * time.Second

// disk is what a directory takes.
type disk struct{ bytes, inodes uint64 }

// diskUsage counts the bytes and entries below dir. What goes away meanwhile does not count.
func diskUsage(dir string) (disk, error) {
	var d disk
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		d.inodes++
		if !info.IsDir() {
			d.bytes += uint64(info.Size())
		}
		return nil
	})
	return d, err
}

// usage remembers what a container's root directory takes beyond its image.
type usage struct {
	base disk // as unpacked

	mu   sync.Mutex
	last disk
	at   time.Time
}

// measure gives the writable layer's usage, at most usageEvery old, and when it was measured.
func (u *usage) measure(rootfs string) (disk, time.Time, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if time.Since(u.at) < usageEvery {
		return u.last, u.at, nil
	}
	d, err := diskUsage(rootfs)
	if err != nil {
		return disk{}, time.Time{}, err
	}
	u.last = disk{bytes: d.bytes - min(d.bytes, u.base.bytes), inodes: d.inodes - min(d.inodes, u.base.inodes)}
	u.at = time.Now()
	return u.last, u.at, nil
}

// stats is what the container uses: the processor time that its control group has counted
// (program.CPUStat), and the memory that its programs say they hold. The rate of the former is for who asks
// twice.
func (c *container) stats() (*runtimeapi.ContainerStats, error) {
	layer, at, err := c.usage.measure(c.rootfs)
	if err != nil {
		return nil, status.Errorf(codes.Unknown, "failed to measure the writable layer of container %q: %v", c.id, err)
	}
	now := time.Now().UnixNano()
	held := &runtimeapi.UInt64Value{Value: uint64(max(c.cgroup.Memory(), 0))}
	return &runtimeapi.ContainerStats{
		Attributes: &runtimeapi.ContainerAttributes{
			Id: c.id, Metadata: c.config.Metadata, Labels: c.config.Labels, Annotations: c.config.Annotations,
		},
		Cpu: &runtimeapi.CpuUsage{
			Timestamp: now, UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: uint64(c.cgroup.CPU().Usage)},
		},
		Memory: &runtimeapi.MemoryUsage{
			Timestamp: now, WorkingSetBytes: held, UsageBytes: held, RssBytes: held,
		},
		WritableLayer: &runtimeapi.FilesystemUsage{
			Timestamp:  at.UnixNano(),
			FsId:       &runtimeapi.FilesystemIdentifier{Mountpoint: c.rootfs},
			UsedBytes:  &runtimeapi.UInt64Value{Value: layer.bytes},
			InodesUsed: &runtimeapi.UInt64Value{Value: layer.inodes},
		},
	}, nil
}

// ContainerStats implements internalapi.ContainerStatsManager.
func (r *Runtime) ContainerStats(_ context.Context, id string) (*runtimeapi.ContainerStats, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	c, err := r.container(id)
	if err != nil {
		return nil, err
	}
	return c.stats()
}

// ListContainerStats gives the running containers' stats.
func (r *Runtime) ListContainerStats(_ context.Context, filter *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	return r.runningStats(filter.GetId(), filter.GetPodSandboxId(), filter.GetLabelSelector())
}

func (r *Runtime) runningStats(id, sandboxID string, labels map[string]string) ([]*runtimeapi.ContainerStats, error) {
	var list []*runtimeapi.ContainerStats
	for _, c := range r.listContainers(id, sandboxID, labels) {
		if c.currentState() != runtimeapi.ContainerState_CONTAINER_RUNNING {
			continue
		}
		st, err := c.stats()
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return list, nil
}

// podStats is what the pod's containers use, and its network.
func (r *Runtime) podStats(s *sandbox) (*runtimeapi.PodSandboxStats, error) {
	containers, err := r.runningStats("", s.id, nil)
	if err != nil {
		return nil, err
	}
	now := time.Now().UnixNano()
	var used, held uint64
	for _, c := range containers {
		used += c.GetCpu().GetUsageCoreNanoSeconds().GetValue()
		held += c.GetMemory().GetWorkingSetBytes().GetValue()
	}
	stats := &runtimeapi.LinuxPodSandboxStats{
		Cpu: &runtimeapi.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: used}},
		Memory: &runtimeapi.MemoryUsage{
			Timestamp: now, WorkingSetBytes: &runtimeapi.UInt64Value{Value: held}, UsageBytes: &runtimeapi.UInt64Value{Value: held},
		},
		Containers: containers,
	}
	var processes uint64
	for _, c := range r.containersOf(s.id) {
		if c.processes != s.processes {
			processes += uint64(len(c.processes.List()))
		}
	}
	if s.pause != nil {
		processes += uint64(len(s.pause.List()))
	}
	stats.Process = &runtimeapi.ProcessUsage{Timestamp: now, ProcessCount: &runtimeapi.UInt64Value{Value: processes}}
	if !s.onHost {
		rx, tx := s.network.Traffic()
		stats.Network = &runtimeapi.NetworkUsage{Timestamp: now, DefaultInterface: &runtimeapi.NetworkInterfaceUsage{
			Name:    "eth0",
			RxBytes: &runtimeapi.UInt64Value{Value: rx}, RxErrors: &runtimeapi.UInt64Value{},
			TxBytes: &runtimeapi.UInt64Value{Value: tx}, TxErrors: &runtimeapi.UInt64Value{},
		}}
	}
	return &runtimeapi.PodSandboxStats{
		Attributes: &runtimeapi.PodSandboxAttributes{
			Id: s.id, Metadata: s.config.Metadata, Labels: s.config.Labels, Annotations: s.config.Annotations,
		},
		Linux: stats,
	}, nil
}

// PodSandboxStats implements internalapi.ContainerStatsManager.
func (r *Runtime) PodSandboxStats(_ context.Context, id string) (*runtimeapi.PodSandboxStats, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	s, err := r.sandbox(id)
	if err != nil {
		return nil, err
	}
	return r.podStats(s)
}

// ListPodSandboxStats gives the ready sandboxes' stats.
func (r *Runtime) ListPodSandboxStats(_ context.Context, filter *runtimeapi.PodSandboxStatsFilter) ([]*runtimeapi.PodSandboxStats, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	var list []*runtimeapi.PodSandboxStats
	for _, s := range r.listSandboxes(filter.GetId(), filter.GetLabelSelector()) {
		if s.state() != runtimeapi.PodSandboxState_SANDBOX_READY {
			continue
		}
		st, err := r.podStats(s)
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return list, nil
}

// ContainerProcesses is what the control group of a container counts: its processes, how many there may be, and the
// files that they have open. All are 0 for one that is not there.
func (r *Runtime) ContainerProcesses(id string) (processes, most, files int) {
	c, err := r.container(id)
	if err != nil {
		return 0, 0, 0
	}
	return c.cgroup.Pids(), c.cgroup.Limits().Pids, c.cgroup.Files()
}
