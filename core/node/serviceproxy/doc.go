// Package serviceproxy is what kube-proxy is to an in-tab node: connections that pods make to a
// Service go to one of its endpoints, and node ports are open on the node's address. There are no
// packets to rewrite here: the choice is made where a pod dials.
//
//	Services, EndpointSlices ── upstream's change trackers ──► table ──► Proxy.Dial, Way, AtNode (podnet)
//	                                                                └──► listeners on node ports, health checks
//
// What a Service is and which of its endpoints may serve a node (readiness, termination, traffic
// policies, hints) is decided by upstream's k8s.io/kubernetes/pkg/proxy.
//
// It may import upstream, podnet and core/trace; it must never know who runs the node. TCP and UDP: upstream
// accepts SCTP, which nothing in the tab speaks.
package serviceproxy
