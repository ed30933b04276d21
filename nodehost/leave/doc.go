// Package leave takes a node off its machine: it drains it, says on the Node that it has left (the
// cluster deletes it then), stops nodehost, and removes what was put on the machine: sandboxes with
// their network, processes, control groups, mounts, interfaces, settings, files.
//
// What there is to remove is in nodehost/nodedir: its state, and the names of a node's files. Without a
// state nothing is removed. Everything can be done again: an interrupted leave is completed by the next
// one, or by the next join. It may import what nodehost/join starts, and core/realnode/wellknown; it must never remove what a node
// has not put there, what is on a disk that is mounted below, or what somebody else uses since.
package leave
