// Package podrecord records what a pod shows while it lives: the lines of `kubectl get pods`, the
// states of its containers and the reasons of its events. The pods, and what each has to show, are in
// pods.yaml: in-tab nodes and real ones are held to the same words.
//
// It is for tests. It imports client-go only, so that the tests of real nodes can use it, and knows
// nothing of what kind of node it looks at.
package podrecord
