// Package check runs a lesson on a native cluster, every block and every check of it, as a reader would who
// makes no mistake: `nodehost lesson check`.
//
// It may import core/cluster, core/kubectl, core/program, core/trace, and nodehost/lesson and what is below it. What it runs runs in the
// cluster's own shell (core/shell), in a process whose root is a directory of its own (shut_linux.go); it must never
// give a lesson another way to the machine.
package check
