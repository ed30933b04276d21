package hardware

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/status"
	"k8s.io/utils/cpuset"
)

// Processors say who gets which of the machine's processors.
type Processors struct {
	// Policy and PolicyOptions are the CPU manager's; Policy "none", or empty, keeps none for anybody.
	Policy        string
	PolicyOptions map[string]string
	// Reconcile is how often containers are told anew which they have.
	Reconcile time.Duration
	// Reserved are never given to a pod alone; empty lets the CPU manager choose as many as are reserved.
	Reserved cpuset.CPUSet
	// StateDir has the CPU manager's checkpoint.
	StateDir string
	// Topology is the policy of upstream's topology manager, and TopologyScope its scope.
	Topology, TopologyScope string
}

// checkpoint is what upstream's CPU manager calls its file.
const checkpoint = "cpu_manager_state"

// pinning is upstream's CPU manager over the machine's processors. It decides, and tells the runtime; that a program
// runs on no other processor is not so: there is one thread in a tab, and natively Go moves them.
type pinning struct {
	containerManager
	cpus     cpumanager.Manager
	topology topologymanager.Manager
	dir      string
}

// withProcessors puts the CPU manager's static policy into c.
func withProcessors(c containerManager, p Processors) (cm.ContainerManager, error) {
	machine, err := c.m.MachineInfo()
	if err != nil {
		return nil, err
	}
	topology, err := topologymanager.NewManager(machine.Topology, p.Topology, p.TopologyScope, nil)
	if err != nil {
		return nil, fmt.Errorf("topology manager: %w", err)
	}
	logger := klog.Background().WithValues("node", c.m.opts.Name)
	cpus, err := cpumanager.NewManager(logger, p.Policy, p.PolicyOptions, p.Reconcile, machine, p.Reserved,
		c.GetNodeAllocatableReservation(), p.StateDir, topology)
	if err != nil {
		return nil, fmt.Errorf("CPU manager: %w", err)
	}
	topology.AddHintProvider(logger, cpus)
	return &pinning{c, cpus, topology, p.StateDir}, nil
}

// Start implements cm.ContainerManager. Upstream's kubelet ends its process if it fails, and a checkpoint is a file
// that a pod can have written, or of another policy: one that does not fit is put away, and no container runs that it
// could be about, as none does when a node starts.
func (c *pinning) Start(ctx context.Context, node *corev1.Node, active cm.ActivePodsFunc, get cm.GetNodeFunc, sources config.SourcesReady, statuses status.PodStatusProvider, runtime internalapi.RuntimeService, isolated bool) error {
	if err := c.containerManager.Start(ctx, node, active, get, sources, statuses, runtime, isolated); err != nil {
		return err
	}
	start := func() error {
		return c.cpus.Start(ctx, cpumanager.ActivePodsFunc(active), sources, statuses, runtime, containermap.NewContainerMap())
	}
	err := start()
	if err == nil {
		return nil
	}
	klog.FromContext(ctx).Error(err, "The CPU manager's checkpoint is put away", "file", checkpoint)
	if err := os.RemoveAll(filepath.Join(c.dir, checkpoint)); err != nil {
		return fmt.Errorf("put the CPU manager's checkpoint away: %w", err)
	}
	return start()
}

// GetAllocateResourcesPodAdmitHandler implements cm.ContainerManager.
func (c *pinning) GetAllocateResourcesPodAdmitHandler() lifecycle.PodAdmitHandler { return c.topology }

// GetCPUs implements cm.ContainerManager.
func (c *pinning) GetCPUs(pod, container string) []int64 {
	return numbers(c.cpus.GetExclusiveCPUs(pod, container))
}

// GetAllocatableCPUs implements cm.ContainerManager.
func (c *pinning) GetAllocatableCPUs() []int64 { return numbers(c.cpus.GetAllocatableCPUs()) }

// PodHasExclusiveCPUs implements cm.ContainerManager.
func (c *pinning) PodHasExclusiveCPUs(pod *corev1.Pod) bool {
	for _, of := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range of {
			if c.ContainerHasExclusiveCPUs(pod, &of[i]) {
				return true
			}
		}
	}
	return false
}

// ContainerHasExclusiveCPUs implements cm.ContainerManager.
func (c *pinning) ContainerHasExclusiveCPUs(pod *corev1.Pod, container *corev1.Container) bool {
	return !c.cpus.GetExclusiveCPUs(string(pod.UID), container.Name).IsEmpty()
}

func numbers(set cpuset.CPUSet) (list []int64) {
	for _, n := range set.List() {
		list = append(list, int64(n))
	}
	return list
}

// InternalContainerLifecycle implements cm.ContainerManager.
func (c *pinning) InternalContainerLifecycle() cm.InternalContainerLifecycle { return (*pinned)(c) }

// pinned is upstream's container lifecycle on Linux as far as processors go (internal_container_lifecycle_linux.go).
type pinned pinning

// PreCreateContainer implements cm.InternalContainerLifecycle.
func (p *pinned) PreCreateContainer(_ klog.Logger, pod *corev1.Pod, container *corev1.Container, made *runtimeapi.ContainerConfig) error {
	if cpus := p.cpus.GetCPUAffinity(string(pod.UID), container.Name); !cpus.IsEmpty() && made.GetLinux().GetResources() != nil {
		made.Linux.Resources.CpusetCpus = cpus.String()
	}
	return nil
}

// PreStartContainer implements cm.InternalContainerLifecycle.
func (p *pinned) PreStartContainer(logger klog.Logger, pod *corev1.Pod, container *corev1.Container, id string) error {
	p.cpus.AddContainer(logger, pod, container, id)
	p.topology.AddContainer(pod, container, id)
	return nil
}

// PostStopContainer implements cm.InternalContainerLifecycle.
func (p *pinned) PostStopContainer(_ klog.Logger, id string) error {
	return p.topology.RemoveContainer(id)
}
