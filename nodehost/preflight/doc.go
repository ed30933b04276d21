// Package preflight looks, before anything is changed, whether a machine can be a node, and says of
// each thing that it lacks why it is needed and which command brings it.
//
// It may import the standard library, nodehost/cgroup and nodehost/trusted; it changes nothing unless Install is called.
package preflight
