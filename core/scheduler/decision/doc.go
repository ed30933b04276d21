// Package decision notes what the scheduler decides and why: which plugin said what of which node,
// the scores, what preemption tried, which event moved a pod between the queues. It tells the bus
// (core/trace), and keeps the latest Decision of each pod to be asked for.
//
//	decision.go, verdict.go  a Decision, and what it says of one node and one plugin
//	log.go                   the latest of each pod
//	watch.go                 puts itself in place: Scheduler's exported fields, no overlay
//	framework.go             a profile's framework that notes what its plugins say
//	plugins.go               the plugins themselves, for raw scores
//	queue.go                 the scheduling queue that notes why a pod moves
//	ask.go                   a plugin asked afterwards, on a copy
//
// It imports upstream's scheduler and core/trace. It must never change what the scheduler does.
package decision
