// Package intab leads what a machine and its pods send to pods of in-tab nodes into the tunnel. Such a pod
// is in a browser's tab, which no packet reaches: so connections end here, and go on as streams. Linux
// only, IPv4, TCP.
//
//	w, err := intab.New(intab.Options{MTU: mtu, Dial: dial})
//	go w.Run(ctx)
//	overlay.Options{Rest: intab.Interface}    // routes lead to the interface
//
//	pod ─► kube-proxy's rules ─► route ─► tab-pods (TUN) ─► netstack ─► Options.Dial ─► tunnel ─► in-tab pod
//
// Packets are taken behind the rules of Services, so that whatever leads to an in-tab pod comes here: its
// own address, a Service's, a node port. Who opens a connection is answered when the cluster has: a port
// at which nobody listens refuses, and what a NetworkPolicy drops is not heard of. The addresses of both
// ends are what the pods see.
//
// What is not TCP has no way: UDP is answered by ICMP's "protocol unreachable", all else by nothing.
//
// The interface goes with the process, and with it the routes that lead there; a machine whose agent has
// ended says of in-tab pods at once that they are unreachable.
//
// The TCP is gVisor's (docs/adr/0039-real-pods-reach-in-tab-pods.md). The package may import that,
// core/nodedial, core/tunnel, netlink and nodehost/share; it must never touch an interface that it did
// not make.
package intab
