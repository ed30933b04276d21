// Package netns gives a process a network of its own in which every address of
// the cluster is local: pods listen on their pod IPs, kubelets on their node IPs,
// natively as in the tab, and the machine's network is not touched.
//
// On js this is so anyway: Go's in-memory network takes any address. On Linux the
// program re-executes itself in a new network namespace, and in a new user
// namespace if it is not root. It has to be a new process: a Go program's threads
// cannot move to another namespace together.
//
//	func TestMain(m *testing.M) { netns.Main(m) }
//	func TestPods(t *testing.T) { netns.Require(t); … }
//
// It imports the standard library and netlink. It must never change the network
// namespace that it was started in.
package netns
