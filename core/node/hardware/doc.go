// Package hardware is the hardware that an in-tab node claims to have, told in the two
// shapes the kubelet asks for: cadvisor.Interface (machine, file system and
// usage of the root cgroup) and cm.ContainerManager (capacity and allocatable).
//
// Its size is what the node's options say. Usage is honest: CPU
// and memory are the sums the container runtime reports, the file system's is
// counted on the node's own directory. Nothing is read from the real machine.
//
// What /metrics/cadvisor is made of is in containers.go.
//
// Where the options say so, upstream's CPU manager deals the cores out (processors.go).
//
// It imports the kubelet's cadvisor and cm packages, and core/node/nodefs. It must never start
// background work but what upstream's CPU manager does: every answer is computed when asked, or is at most
// usageMaxAge old.
package hardware
