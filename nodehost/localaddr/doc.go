// Package localaddr keeps addresses that are local to this machine and nowhere else, on an
// interface of its own: the name server's, which every pod of the node asks, and the API server's, behind
// which the tunnel begins. Linux only.
//
// An address there is reachable from the host and from its pods (they route it to the host),
// and not from the network that the host is in, unless somebody routes it here; whoever listens
// on one looks at who calls (see Local, and Callers where the pods' network is somebody else's).
//
// The interface is a bridge without ports. A dummy interface would do as well and is what
// NodeLocal DNSCache takes, but not every kernel has that driver, and every machine that is to
// have pods has bridges.
//
// It may import netlink and the standard library. It must never touch an interface that it did
// not make: Ensure refuses a name that something else has.
package localaddr
