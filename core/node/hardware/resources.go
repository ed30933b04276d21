package hardware

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
)

// containerManager is upstream's stub, which manages no cgroups, with the
// node's real capacity where the stub says zero or nothing.
type containerManager struct {
	cm.ContainerManager
	m *Simulated
}

var _ cm.ContainerManager = (*containerManager)(nil)

// ContainerManager returns the container manager of this machine. Limits of containers are the
// runtime's matter (core/node/cri); pods have no control group of their own.
func (m *Simulated) ContainerManager() (cm.ContainerManager, error) {
	c := containerManager{ContainerManager: cm.NewStubContainerManager(), m: m}
	if p := m.opts.Processors; p.Policy != "" && p.Policy != string(cpumanager.PolicyNone) {
		return withProcessors(c, p)
	}
	return &c, nil
}

// GetCapacity returns what MachineInfo does not: ephemeral storage.
func (c *containerManager) GetCapacity(localStorageCapacityIsolation bool) corev1.ResourceList {
	if !localStorageCapacityIsolation {
		return corev1.ResourceList{}
	}
	return corev1.ResourceList{
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(c.m.opts.EphemeralStorageBytes), resource.BinarySI),
	}
}

// GetNodeAllocatableReservation returns what is kept from pods.
func (c *containerManager) GetNodeAllocatableReservation() corev1.ResourceList {
	return c.m.opts.Reserved.DeepCopy()
}

// GetNodeAllocatableAbsolute returns what pods may use, eviction aside.
func (c *containerManager) GetNodeAllocatableAbsolute() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewQuantity(int64(c.m.opts.Cores), resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(int64(c.m.opts.MemoryBytes), resource.BinarySI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(c.m.opts.EphemeralStorageBytes), resource.BinarySI),
	}
}

// GetPodCgroupRoot names the root cgroup as that of all pods: the node runs
// nothing else, and the eviction manager asks for its usage by this name.
func (c *containerManager) GetPodCgroupRoot() string { return "/" }

// NewPodContainerManager returns upstream's stub for pods, which have no control group of their own but
// what their sandbox keeps of them.
func (c *containerManager) NewPodContainerManager() cm.PodContainerManager {
	return podCgroups{c.ContainerManager.NewPodContainerManager(), c.m.opts.Pods}
}

type podCgroups struct {
	cm.PodContainerManager
	pods PodLister // nil for none
}

// podCgroupPrefix is what the names of pods' control groups begin with; the pod's UID follows.
const podCgroupPrefix = "/kubepods/pod"

// GetPodContainerName is the name by which the kubelet asks for what a pod as a whole uses, before it
// lowers a memory limit (ContainerInfoV2).
func (podCgroups) GetPodContainerName(pod *corev1.Pod) (cm.CgroupName, string) {
	name := podCgroupPrefix + string(pod.UID)
	return cm.NewCgroupName(cm.RootCgroupName, "kubepods", "pod"+string(pod.UID)), name
}

// GetPodCgroupConfig is what a pod may use of a resource, in the terms of upstream's for control groups of
// version 2: every field of the resource is there, and -1 is no limit. The kubelet ends its process by a nil pointer
// without the former (kuberuntime_manager.go, doPodResizeAction), and has any positive number for a limit, which it
// writes into the pod's status when it looks at the pod again.
func (p podCgroups) GetPodCgroupConfig(pod *corev1.Pod, what corev1.ResourceName) (*cm.ResourceConfig, error) {
	var res *runtimeapi.LinuxContainerResources
	if p.pods != nil {
		res = p.pods.PodResources(string(pod.UID))
	}
	if res == nil {
		return nil, fmt.Errorf("pod %s/%s has no sandbox that runs: what it may use is not known", pod.Namespace, pod.Name)
	}
	switch what {
	case corev1.ResourceMemory:
		limit := res.MemoryLimitInBytes
		if limit <= 0 {
			limit = -1
		}
		return &cm.ResourceConfig{Memory: &limit}, nil
	case corev1.ResourceCPU:
		quota, period, shares := res.CpuQuota, uint64(max(res.CpuPeriod, 0)), uint64(max(res.CpuShares, cm.MinShares))
		if quota <= 0 {
			quota = -1
		}
		if period == 0 {
			period = cm.QuotaPeriod
		}
		return &cm.ResourceConfig{CPUQuota: &quota, CPUPeriod: &period, CPUShares: &shares}, nil
	}
	return nil, fmt.Errorf("a pod's %s is in no control group", what)
}

// SetPodCgroupConfig has nothing to change: the kubelet has told the sandbox, and tells the containers.
func (podCgroups) SetPodCgroupConfig(klog.Logger, *corev1.Pod, *cm.ResourceConfig) error { return nil }
