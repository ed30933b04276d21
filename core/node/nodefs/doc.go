// Package nodefs is the file system of one in-tab node, of which there is no real one: how much
// of its share it holds, and that it never holds more. What the kubelet sees as nodefs
// (eviction, the node's capacity) and what programs get ENOSPC from is the same count.
//
// It imports the standard library and core/program. It must never write.
package nodefs
