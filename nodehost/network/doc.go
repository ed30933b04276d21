// Package network is the whole network of a node, put together: pods' interfaces (nodehost/cni), ways
// to other nodes (nodehost/overlay), Services and the way to the API server (nodehost/proxy), names
// (nodehost/dns).
//
//	n, err := network.New(network.Options{Node: name, IP: ip, PodCIDRs: node.Spec.PodCIDRs, API: config, Dir: dir})
//	kubelet: clusterDNS: [network.DNSAddress]
//	go n.Run(ctx)
//	<-n.Ready()
//
//	left, err := network.Inventory(ctx, options)      // what is on this machine
//	err = network.Remove(ctx, options)                // nodehost leave
//
// Order: the ways, the Services and the names are there before the runtime is told that the network
// is ready, so that the first pod finds all of them. A node that starts again has told it already:
// its pods go on, and new ones start, while the cluster is away.
//
// Where somebody else's CNI network is used (Options.Existing), interfaces and ways are theirs;
// Services and names are ours, for the pods whose addresses the container runtime names.
//
// The first component that fails ends the others. Nothing is removed when Run ends: containers go
// on. The client needs what core/bootstrap gives to nodes.
//
// It may import nodehost's network packages, core/confine, core/group and client-go.
package network
