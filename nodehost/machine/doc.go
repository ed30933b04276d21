// Package machine is what a node has put on its machine: where its files are, what it is called, which
// cluster it belongs to, and what of the machine's own was changed, so that it can be put back. It is
// written before the change, so that a crash leaves nothing that is not known.
//
// It may import the standard library; it changes nothing but its own file and lock.
package machine
