// Package link keeps addresses that are local to this machine and nowhere else, on a dummy
// interface: the name server's, which every pod of the node asks, and the API server's, behind
// which the tunnel begins. Linux only.
//
// An address there is reachable from the host and from its pods (they route it to the host),
// and not from the network that the host is in, unless somebody routes it here; whoever listens
// on one looks at who calls (see Local).
//
// It may import netlink and the standard library. It must never touch an interface that it did
// not make: Ensure refuses a name that something else has.
package link
