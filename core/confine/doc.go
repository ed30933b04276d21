// Package confine says what counts of the words that a node writes about itself. A node that has been
// taken over writes what it likes on its Node; whoever acts on that asks here first:
//
//	name.go     names that no machine can join by
//	address.go  addresses that no machine can have
//	podcidr.go  whose pod CIDRs count
//
// It is one place because two sides act on the same words and have to agree: core/realnode in the control
// plane, nodehost/overlay/ways on every machine. docs/adr/0017-what-a-node-may-write.md has the whole list of
// what a node may write, and who checks it.
//
// It may import k8s.io/api and the standard library; it must never ask anybody: what it says follows
// from its arguments.
package confine
