// Package steps is the node's end of core/realnode/told: it tells the cluster of the calls that the
// kubelet makes of the container runtime (nodehost/cri's Tap), of the CNI plugins' (nodehost/cni's
// events), and of the ways to other nodes (nodehost/overlay), cut of secrets before they are kept.
//
//	steps.go  what is kept until it is told, and the connection it is told on
//	call.go   a call of the runtime, and which pod it is for
//	plugin.go a call of a plugin
//	ways.go   how this node is reached, and the way to each other one
//
// Nothing waits for it: what the cluster does not fetch in time is dropped, and counted.
//
// It may import core/realnode/told, core/node/critrace, nodehost/cri, nodehost/cni and nodehost/overlay/ways; it must never ask
// the runtime or the cluster for anything.
package steps
