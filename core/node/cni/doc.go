// Package cni gives an in-tab node's pods their networks as a container runtime does: by the chain of
// plugins that the node's own /etc/cni/net.d names, called through libcni, with JSON on standard input and
// CNI's environment variables. The plugins are programs of /opt/cni/bin: bridge, host-local, portmap and
// loopback, written for the tab against the configuration, results and words of
// github.com/containernetworking/plugins; host-local's allocator is that project's own. What they would ask
// of a kernel they ask of a Namespace.
//
// All files are the node's own, and whoever may write there decides: leases lie below
// /var/lib/cni/networks as host-local writes them, libcni's cache in /var/lib/cni/results.
//
// It may import containernetworking's modules, core/program, core/node/image (for the files that stand for
// programs), core/node/cnitrace and core/trace. It must never import Kubernetes, nor follow a link out of
// the node's root.
package cni
