// Package attach is a cluster on a hub: the one assembly of what a tab and a native control plane
// have in common.
//
//	hub ── tunnel.Client ─┬─ access.Server ─► the apiserver's listener, the owner's answer
//	                      ├─ ServeRealNodes ─► machines that joined, reached by streams of the tunnel
//	                      └─ LeadOutside ─► addresses outside that owner and hub have named, for the API server
//
// Whoever attaches says how the hub is dialled, who the cluster is there, and who is asked when
// somebody wants access.
//
// It may import core/access, core/tunnel and client-go; it must never import core/cluster (a cluster
// is what Cluster says), and never know what a wire runs on.
package attach
