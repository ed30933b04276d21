// Package testcluster runs a cluster without nodes in the test's own process, and lets processes
// in other network namespaces reach its API server through a unix socket: as a real node does
// through its tunnel. For tests only.
// It may import core/cluster, core/tunnel and nodehost/testnet.
package testcluster
