// Package uplink is a node's one connection to the outside: a WebSocket to the hub, with streams
// both ways.
//
//	kubelet, kube-proxy … ─► 127.0.0.1:PORT (Forward) ─► hub ─► the cluster's apiserver
//	pods that dial in-tab pods (OpenPod) ═ TLS ═► hub ═► the cluster
//	apiserver ═ TLS ═► hub ═► core/nodedial ─► Options.Allow ─► kubelet on loopback, pods of this node
//
// It comes back by itself, with back-off and jitter (core/tunnel). The hub is not believed:
// what it opens has to prove that the cluster is behind it. It may import core/tunnel, core/nodedial,
// nodehost/crowd, nodehost/hubtls and coder/websocket; it must never dial an address that Allow has not given.
package uplink
