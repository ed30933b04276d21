// Package podnet gives a pod a network of its own over plain package net: its own IPs, its own
// localhost, its own /etc/hosts, and the name servers of its resolv.conf. The IPs
// are given by core/node/cni. When the pod goes, all its listeners and connections go with it.
//
// Pods bind their real IPs: Go's in-memory net on js takes any IP; natively the process lives
// in a network namespace in which the pod range is local. Localhost is per pod: what a pod binds
// on 127.0.0.0/8 is found by that pod alone.
//
// Datagrams stay in the process: a Segment carries those of all pods of a cluster, natively as in the
// tab, with the flows that a kernel's connection tracking would keep.
//
// It may import the standard library and core/program, with core/program/dnsclient. It must never import Kubernetes.
package podnet
