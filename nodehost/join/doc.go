// Package join is the composition root of `nodehost join`: it makes this machine a node of a cluster
// that is reached through a hub, and keeps it one.
//
//	lock, state ─► preflight ─► uplink, forwarder ─► discovery (the first time) ─► programs ─► containerd
//	   ─► kubelet (bootstrap, rotation: upstream's) ─► Node ─► route, pod CIDR ─► network, volumes
//
// Order is by what is ready, not by time. The first component that fails ends the others; the
// containers, their shims and their network stay, and the next start adopts them. What is put on the
// machine is in nodehost/nodedir before it is made, so that nodehost/leave can take it off again.
//
// It may import nearly everything below nodehost, core/kubeconfig, core/localpath/provisioner, core/tunnel, core/nodedial and core/realnode/wellknown; nothing but the command may import it.
package join
