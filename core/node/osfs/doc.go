// Package osfs is the kubelet's view of its operating system
// (kubecontainer.OSInterface) with the node's own root directory as "/".
//
// The kubelet writes to a few paths of its machine that no option names, such as
// /var/log/containers. Here every absolute path that is not below the node's
// root is taken as a path in the node's file system, so that three nodes of one
// process have three of each and the machine below has none.
//
// It imports the standard library and the upstream interface. It must never
// write outside of the node's root.
package osfs
