// Package wellknown names the labels, annotations and taint that make a Node a real one: what a real node writes on its Node object. It imports nothing, so that whoever
// makes such a node, follows it or makes rules for it names the same.
package wellknown

const (
	// KindLabel tells real nodes (Real) from in-tab nodes, which have none.
	KindLabel = "node.tabernetes.internal/kind"
	// Real is the label's and the taint's only value.
	Real = "real"
	// TaintKey keeps pods that do not tolerate it off real nodes; its value is Real.
	TaintKey = "node.tabernetes.internal/kind"
	// RouteAnnotation is the node's route at the hub, tunnel.Welcome.Route.
	RouteAnnotation = "node.tabernetes.internal/route"
	// DialAnnotation says how the node wants to be dialled: nodedial.Target. A node of an earlier version
	// says nothing.
	DialAnnotation = "node.tabernetes.internal/dial"
	// LeftAnnotation says that the machine is no node any more; any value.
	LeftAnnotation = "node.tabernetes.internal/left"
)
