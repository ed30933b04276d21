// Package nodedir is the directories of a real node, and what it has put on its machine besides: where its files are, what it is called, which
// cluster it belongs to, and what of the machine's own was changed, so that it can be put back. It is
// written before the change, so that a crash leaves nothing that is not known.
//
// Both directories of a node are marked; one that has somebody else's files is refused, and so is a run directory that is not the node's. It may import
// the standard library, golang.org/x/sys and core/wholefile; it changes nothing but its own files and lock.
package nodedir
