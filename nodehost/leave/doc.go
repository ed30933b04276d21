// Package leave takes a node off its machine: it drains it, says on the Node that it has left (the
// cluster deletes it then), stops nodehost, and removes what was put on the machine: sandboxes with
// their network, processes, control groups, mounts, interfaces, settings, directories.
//
// What there is to remove is in nodehost/machine's state. Everything can be done again: an interrupted
// leave is completed by the next one, or by the next join. It may import what nodehost/join starts; it
// must never remove what it has not found there.
package leave
