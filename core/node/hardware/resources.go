package hardware

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm"
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
func (m *Simulated) ContainerManager() cm.ContainerManager {
	return &containerManager{ContainerManager: cm.NewStubContainerManager(), m: m}
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
	return corev1.ResourceList{
		corev1.ResourceMemory: *resource.NewQuantity(int64(c.m.opts.ReservedMemoryBytes), resource.BinarySI),
	}
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

// NewPodContainerManager returns upstream's stub for pods, except that asking
// for a pod's cgroup is no error. Upstream's own choice for a node without QoS
// cgroups (podContainerManagerNoop) answers the same, but is built on Linux only.
func (c *containerManager) NewPodContainerManager() cm.PodContainerManager {
	return podCgroups{c.ContainerManager.NewPodContainerManager()}
}

type podCgroups struct{ cm.PodContainerManager }

// GetPodCgroupConfig returns nothing: a pod's resources are what its spec says.
func (podCgroups) GetPodCgroupConfig(*corev1.Pod, corev1.ResourceName) (*cm.ResourceConfig, error) {
	return nil, nil
}

// SetPodCgroupConfig has nothing to change; a resize goes on to the containers.
func (podCgroups) SetPodCgroupConfig(klog.Logger, *corev1.Pod, *cm.ResourceConfig) error { return nil }
