// Package overlay leads packets between the pods of different nodes: by a plain route where two
// nodes are in one subnet, in VXLAN where they are not. Linux only, IPv4.
//
//	o, err := overlay.New(overlay.Options{Client: client, NodeName: name, NodeIP: ip, PodCIDRs: cidrs, ClusterCIDRs: all})
//	cni.Options{MTU: o.PodMTU()}
//	go o.Run(ctx)      // announces this node, follows the others
//	<-o.Ready()
//
// What a node is reached by stands on its Node object, as flannel does it: the pod subnet in
// spec.podCIDRs, the rest in an annotation, which the node writes itself. So it may say anything: what
// counts of it, which way follows for each pair, and what the kernel should then have is ways' to say;
// reconciling makes it so. What the kernel refuses of one node keeps no other from being reached. VXLAN
// is let in from nodes only that are reached by it (peers_linux.go).
//
// A node behind NAT is reached by its neighbours of the same subnet and by nodes behind the same
// NAT, and refused to others, in words; ways.Path is where a relay through the hub would come in. Pods
// of nodes that announce nothing are unreachable at once instead of asked for at the default gateway,
// but for the interface that leads to in-tab nodes' (Options.Rest, nodehost/intab).
//
// Routes and interfaces stay when Run ends: containers do, too. Remove takes everything away.
// Everything that is ours can be told: routes by Protocol, interfaces and tables by name.
//
// The client needs list and watch of nodes, and patch of its own.
//
// It may import client-go, netlink, knftables, Kubernetes' iptables wrapper, core/confine,
// nodehost/localaddr and nodehost/overlay/ways. It must never touch a route, rule or interface
// that it did not make.
package overlay
