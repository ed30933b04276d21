// Package ways says how one node reaches the pods of the others, from what stands on their Nodes:
//
//	announce.go  what a node says of itself, read as a stranger's words
//	decide.go    which way leads from one node to another
//	ways.go      Of: the ways to all of them, and whose words do not count
//	plan.go      what the kernel should have, so that packets go these ways
//
// Every node draws the same conclusion from two announcements (Decide). nodehost/overlay writes a node's
// own announcement and makes the kernel have what the plan says.
//
// It may import k8s.io/api, core/confine and the standard library; it must never ask anybody or touch
// the machine: what it says follows from its arguments. So what strangers write is fuzzed on little code.
package ways
