// Package cni is the agent's side of the pods' interfaces: it writes the configuration that the
// container runtime reads, puts the plugin where the runtime looks for it (nodehost/cni/plugin),
// listens to what the plugin does, and releases what was leaked. Linux only.
//
//	n, err := cni.New(cni.Options{Dir: state, ConfDir: conf, PodCIDRs: node.Spec.PodCIDRs, MTU: mtu})
//	containerd: bin_dir = n.BinDirs(), conf_dir = n.ConfDir()
//	go n.Run(ctx)      // writes the configuration: the runtime says "network ready" from then on
//	<-n.Ready()
//
// The chain is bridge with host-local addresses, portmap for host ports, bandwidth for the
// annotations kubernetes.io/ingress-bandwidth and egress-bandwidth: Debian's
// containernetworking-plugins, or newer ones. The configuration stays when Run ends, because
// containers do; Remove takes everything away.
//
// A machine that has a CNI network of its own is used as it is: Options.Existing names its
// configuration directory, and nothing is written. It may be empty at first: a network that is a
// DaemonSet writes it once the node is there.
//
// It may import containernetworking/cni, netlink and nodehost/trusted. It must never import Kubernetes: who is
// valid comes as a function.
package cni
