// Package packetpath says which way a packet takes between two pods: each hop, what takes it there, and how large
// it may be, by what stands on the pods, what the cluster's router knows, what in-tab nodes let through, and what real
// nodes have told of their ways. It sends nothing, and decides nothing: who decides about a connection is asked
// (core/cluster), whose tests compare the answer with a connection; nodehost/join compares what it says with what the
// kernels of two machines say.
//
// It may import k8s.io/api, core/trace and core/realnode/told. It must never import the cluster.
package packetpath
