// Package nodedial is how a cluster dials an address at one of its nodes through a hub that neither
// trusts: TLS 1.3 inside of a stream, with both sides' certificates of the cluster's CA.
//
//	cluster: Client ══════ stream (tunnel.KindDial, Target) ══════ node: Accept ─► address
//	  the API server's certificate              the kubelet's serving certificate
//	  towards kubelets                          of the Node that is meant
//
// The other way round a node asks its cluster for a connection to an in-tab pod, with the same
// certificates: pod.go.
//
//	node: DialPod ══════ stream (tunnel.KindPod) ══════ cluster: AcceptPod ─► in-tab pod
//
// So nobody but the cluster can have a node dial anything, the hub does not even see what, and what
// passes is not to be read, changed or played again, whatever the address at the end speaks. An
// application protocol of its own in the handshake keeps a connection of the same certificates
// for something else, as the API server's to a kubelet, from being led here.
//
// It may import the standard library only.
package nodedial
