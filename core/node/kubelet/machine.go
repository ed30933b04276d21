package kubelet

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/utils/cpuset"

	"github.com/tabernetes/tabernetes/core/node/hardware"
)

// machine is the hardware that the node claims to have, and who manages it.
func machine(o Options, s *options.KubeletServer, mayUse hardware.PodLister) (*hardware.Simulated, cm.ContainerManager, error) {
	cpus, err := reservedProcessors(o.Cores, s.ReservedSystemCPUs)
	if err != nil {
		return nil, nil, err
	}
	reserved, err := reservations(o, s, cpus)
	if err != nil {
		return nil, nil, err
	}
	m := hardware.New(hardware.Options{
		Name:                  o.Name,
		RootDir:               o.RootDir,
		Cores:                 o.Cores,
		MemoryBytes:           uint64(o.MemoryBytes),
		EphemeralStorageBytes: uint64(o.EphemeralStorageBytes),
		Disk:                  o.Disk,
		Reserved:              reserved,
		Processors: hardware.Processors{
			Policy: s.CPUManagerPolicy, PolicyOptions: s.CPUManagerPolicyOptions,
			Reconcile: s.CPUManagerReconcilePeriod.Duration, Reserved: cpus, StateDir: o.kubeletDir(),
			Topology: s.TopologyManagerPolicy, TopologyScope: s.TopologyManagerScope,
		},
		Stats: o.Runtime,
		Pods:  mayUse,
	})
	manager, err := m.ContainerManager()
	return m, manager, err
}

// reservedProcessors reads reservedSystemCPUs, as upstream's kubelet does (cmd/kubelet/app, getReservedCPUs).
func reservedProcessors(cores int, list string) (cpuset.CPUSet, error) {
	if list == "" {
		return cpuset.New(), nil
	}
	set, err := cpuset.Parse(list)
	if err != nil {
		return set, fmt.Errorf("reservedSystemCPUs: %w", err)
	}
	if all := set.List(); len(all) > 0 && (all[0] < 0 || all[len(all)-1] >= cores) {
		return set, fmt.Errorf("reservedSystemCPUs: the node has the processors 0 to %d, and not %.100s", cores-1, list)
	}
	return set, nil
}

// reservations are kubeReserved and systemReserved together, the processors that are named in their place, and what
// evictions keep free. They are no more than there is, as upstream's container manager has it (validateNodeAllocatable).
func reservations(o Options, s *options.KubeletServer, cpus cpuset.CPUSet) (corev1.ResourceList, error) {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewQuantity(int64(o.Cores), resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(o.MemoryBytes, resource.BinarySI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(o.EphemeralStorageBytes, resource.BinarySI),
	}
	sum := corev1.ResourceList{}
	for field, of := range map[string]map[string]string{"kubeReserved": s.KubeReserved, "systemReserved": s.SystemReserved} {
		for name, text := range of {
			if _, ok := capacity[corev1.ResourceName(name)]; !ok {
				return nil, fmt.Errorf("%s: %.100q cannot be kept from pods here; cpu, memory and ephemeral-storage can", field, name)
			}
			q, err := resource.ParseQuantity(text)
			if err != nil || q.Sign() < 0 {
				return nil, fmt.Errorf("%s: %.100q is no amount of %s", field, text, name)
			}
			have := sum[corev1.ResourceName(name)]
			have.Add(q)
			sum[corev1.ResourceName(name)] = have
		}
	}
	if cpus.Size() > 0 {
		sum[corev1.ResourceCPU] = *resource.NewQuantity(int64(cpus.Size()), resource.DecimalSI)
	}
	hard, err := hardThresholds(&s.KubeletConfiguration)
	if err != nil {
		return nil, err
	}
	for name, kept := range keptByEviction(hard, capacity) {
		have := sum[name]
		have.Add(kept)
		sum[name] = have
	}
	for name, kept := range sum {
		if all := capacity[name]; kept.Cmp(all) > 0 {
			return nil, fmt.Errorf("%s of %s are kept from pods (kubeReserved, systemReserved, evictionHard), and the node has %s", kept.String(), name, all.String())
		}
	}
	return sum, nil
}
