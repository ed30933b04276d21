// Package tunnel is one connection between a cluster and a hub, with many streams in it.
//
// A tab cannot listen, so it dials a hub; whoever wants to reach the tab's apiserver reaches
// it through a stream that the hub opens on that one connection:
//
//	kubectl ── TLS ──► hub ── stream (KindAPI) ──► tab: apiserver, where TLS ends
//	node    ── TLS ──► hub ── stream (KindPod) ──► tab: pods of in-tab nodes
//	webhook ◄── TLS ── hub ◄── stream (KindOutside) ── tab: apiserver, to what both sides have named
//
// From the outside in:
//
//	Dialer's side                                 hub's side
//	Client.Run: dial, hello, serve, again         Accept: hello, judged by the hub, welcome
//	Session: Open(Header) and Serve(Handler), the same on both sides
//	yamux: frames, windows of 256 KiB per stream, pings
//	wire: any net.Conn that keeps order; in use are WebSockets
//
// A Hello carries versions, the name that the cluster asks for and the pairing secret; a
// stream begins with a Header that says what it is for, and the side that did not open it
// asks its Authoriser before the first byte goes further. Everything that a peer can make
// grow has a limit (limits.go): the hello, a stream's header, streams that are open and those
// whose end the other side does not answer (session.go), windows (yamux), pings that wait for
// their answer (meter.go) and lines of the log (log.go). Whoever goes beyond loses the session.
//
// It may import the standard library, yamux and golang.org/x/time; it must never know what a
// WebSocket, a browser or Kubernetes is.
package tunnel
