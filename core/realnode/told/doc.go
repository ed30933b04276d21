// Package told brings what real nodes tell of themselves onto the cluster's bus (core/trace): the calls
// of their container runtimes and of their CNI plugins. The cluster dials the node (core/nodedial, at
// the address nodedial.Steps), so that both sides have shown their certificates and the hub in between
// reads nothing.
//
//	wire.go     what is said: lines of JSON
//	clock.go    the node's clock against the cluster's
//	pods.go     which pods are the node's own
//	follow.go   one node: dialled again and again, cut off if it floods or speaks otherwise
//	step.go     a line as a step
//
// A node is a stranger. It tells of its own pods only: each is looked up, and what it says of another
// node's is refused, and said, as is what is done for a pod if it names none. How much it tells is bounded, in steps and in
// bytes; who tells more is cut off for a while and named in a step. Who tells no more than that has nothing go but what
// nodes told (core/trace/told.go). Secrets were cut at the node, and are cut here again. All
// of it is marked as told.
//
// It may import core/trace, core/node/critrace, core/node/cnitrace and Kubernetes' API types; it knows nothing of tunnels.
package told
