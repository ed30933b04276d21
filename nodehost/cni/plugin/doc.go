// Package plugin is the CNI plugin that stands in every place of the chain that nodehost/cni
// writes: it hands each call to the real plugin (bridge, portmap, bandwidth), in the version of
// the specification that this one knows, and tells what came of it as an event.
//
//	{"type": "tabernetes", "delegate": {"type": "bridge", ...}, "delegateVersion": "1.0.0", "events": "/run/…/cni.sock"}
//
// ADD, DEL and CHECK are the delegate's. STATUS is its own, and the delegate's where that knows
// it. GC is its own: neither bridge nor host-local have it, so the addresses that host-local
// keeps for attachments which are gone are released here. Errors are CNI's error object on
// standard output, with the delegate's code.
//
// It is linked into a small program (nodehost/cni/tabernetes-cni) and into nodehost, and runs a
// few times for each pod: it may import containernetworking/cni, golang.org/x/sys and the
// standard library, and must never import Kubernetes.
package plugin
