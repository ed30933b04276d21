// Package share bounds what one pod of a node has of its tunnel. All clients, nodes and pods of a cluster
// share one tunnel with so many streams (core/tunnel). One pod that opens connections and says nothing
// would keep everybody else out, kubelets with their leases among them: so each address has a share of
// what this node's pods may have together.
//
// It may import the standard library only.
package share
