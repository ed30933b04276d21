// Package hub stands between clusters that cannot listen and clients that want to reach them.
//
//	tab ── GET /hub/v1/tunnel (WebSocket, core/tunnel) ──► attach.go ─► registry.go
//	kubectl ── TLS, SNI NAME.tabernetes.internal ────────► clients.go ─► a stream of that tunnel
//	node ── GET /hub/v1/node (WebSocket) ────────────────► nodes.go ───► streams both ways:
//	        its clients to the apiserver, and the apiserver's dials to its kubelet and pods
//	nodehost kubeconfig ── POST /hub/v1/… ───────────────► ask.go ─────► a call on that tunnel
//
// It moves bytes that it cannot read: TLS begins at the client and ends in the cluster, and no
// key of a cluster or a client ever comes here. Of a TLS connection it looks at the first
// message, for the server name.
//
// Whoever attaches a cluster, lists clusters or asks for access shows the pairing secret, which
// is compared in constant time and never logged; a browser's request comes from an allowed
// origin for an allowed host as well, so that a foreign page can do none of that.
//
// Limits are per source (limits.go, shares.go, ADR 18), and who is not known pays before who is: a
// cluster tells which nodes it has (routes.go), everybody else is one of a crowd (nodehost/crowd).
//
// It may import core/tunnel, nodehost/crowd, nodehost/outside, coder/websocket, golang.org/x/time and the standard library; it
// must never import Kubernetes, or anything that could take a connection's TLS apart.
package hub
