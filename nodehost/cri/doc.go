// Package cri runs containerd as a child of nodehost, with a configuration, root, state and socket of
// its own, and brings images into it. An earlier or later containerd of the machine is not touched.
//
// The child gets a parent-death signal, but its containers do not: each has a shim, which lives on
// while containerd and nodehost are away, and is found again by the next containerd in the same
// directories. It is ready when the CRI's Version call answers.
//
// The kubelet reaches a runtime's images through Images, which pins that of sandboxes for runtimes
// that do not, and everything else of it through Runtime, which hands calls on as they are. Both tell
// of what was called (Tap).
//
// It may import upstream's CRI client; it must never import containerd's libraries: what it needs
// of them is in the programs that come with it (containerd, ctr).
package cri
