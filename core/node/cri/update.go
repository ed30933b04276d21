package cri

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// UpdateContainerResources changes what the container may use (see limits), and what its status and the
// files of its control group show.
func (r *Runtime) UpdateContainerResources(_ context.Context, id string, wanted *runtimeapi.ContainerResources) error {
	if err := r.enter(); err != nil {
		return err
	}
	c, err := r.container(id)
	if err != nil {
		return err
	}
	resources, running := c.update(wanted.GetLinux())
	if !running {
		return status.Errorf(codes.Unknown, "failed to update resources: container %q is not running", c.id)
	}
	c.cgroup.SetLimits(r.limits(resources))
	return nil
}

// update gives the container other resources, unless it has ended, and returns what it has then.
func (c *container) update(resources *runtimeapi.LinuxContainerResources) (now *runtimeapi.LinuxContainerResources, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == runtimeapi.ContainerState_CONTAINER_EXITED || c.removing {
		return nil, false
	}
	if resources != nil {
		c.resources = mergeResources(c.resources, resources)
	}
	return c.resources, true
}

// mergeResources is old with what update sets.
func mergeResources(old, update *runtimeapi.LinuxContainerResources) *runtimeapi.LinuxContainerResources {
	merged := &runtimeapi.LinuxContainerResources{
		CpuPeriod: update.CpuPeriod, CpuQuota: update.CpuQuota, CpuShares: update.CpuShares,
		MemoryLimitInBytes: update.MemoryLimitInBytes, MemorySwapLimitInBytes: update.MemorySwapLimitInBytes,
		CpusetCpus: update.CpusetCpus, CpusetMems: update.CpusetMems,
		OomScoreAdj: update.OomScoreAdj, Unified: update.Unified, HugepageLimits: update.HugepageLimits,
	}
	keep := func(to *int64, from int64) {
		if *to == 0 {
			*to = from
		}
	}
	keep(&merged.CpuPeriod, old.GetCpuPeriod())
	keep(&merged.CpuQuota, old.GetCpuQuota())
	keep(&merged.CpuShares, old.GetCpuShares())
	keep(&merged.MemoryLimitInBytes, old.GetMemoryLimitInBytes())
	keep(&merged.MemorySwapLimitInBytes, old.GetMemorySwapLimitInBytes())
	keep(&merged.OomScoreAdj, old.GetOomScoreAdj())
	if merged.CpusetCpus == "" {
		merged.CpusetCpus = old.GetCpusetCpus()
	}
	if merged.CpusetMems == "" {
		merged.CpusetMems = old.GetCpusetMems()
	}
	return merged
}

// ReopenContainerLog opens the log file again, after the kubelet moved it away.
func (r *Runtime) ReopenContainerLog(_ context.Context, id string) error {
	if err := r.enter(); err != nil {
		return err
	}
	c, err := r.container(id)
	if err != nil {
		return err
	}
	if c.currentState() != runtimeapi.ContainerState_CONTAINER_RUNNING {
		return status.Errorf(codes.Unknown, "container %q is not running", c.id)
	}
	if err := c.stdio.log.open(); err != nil {
		return status.Errorf(codes.Unknown, "failed to reopen log of container %q: %v", c.id, err)
	}
	return nil
}

// CheckpointContainer cannot be done: a program's state is in no file.
func (r *Runtime) CheckpointContainer(context.Context, *runtimeapi.CheckpointContainerRequest) error {
	if err := r.enter(); err != nil {
		return err
	}
	return status.Error(codes.Unimplemented, "checkpoint: a program in the tab cannot be checkpointed")
}
