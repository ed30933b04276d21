// Package trace is the one bus on which the parts of a cluster tell what they do, as it happens: a
// step for each request, decision, write, reconcile, call to a runtime. Each names the step that it
// was caused by, so that one command is one tree. The page, the guide and the tests read the same bus.
//
//	kind.go     what a tap declares of its steps: chapter, name, the line of upstream that did it
//	step.go     one step
//	bus.go      the bus; ring.go what it keeps, index.go what finds a cause by revision, object or key
//	told.go     what real nodes told, kept beside the ring, so that none of them empties it
//	cause.go    how a cause travels: in a context, with a goroutine, by a request's audit ID
//	view.go     a reader, which costs the cluster nothing when it is slow
//	json.go     a step for people, in whole or in brief; tree.go all that one step caused
//	cut.go      what never enters a step; repeats.go what is told of that which never ends
//
// A nil *Bus is a bus that nobody reads: every method works and does nothing, and a tap asks nothing
// else. A tap costs what it costs to fill a struct: texts, patches and differences are made by
// Details' MarshalJSON when somebody looks.
//
// No secret enters a step: values of environment variables, credentials of images, tokens, the data
// of Secrets, commands of exec. They are cut where they are tapped, before the ring (cut.go); a test
// puts a canary into each (core/cluster).
//
// It may import the standard library and core/goroutine only; taps live in the packages that they
// tap. It must never import what it is told of, and is never global: a cluster has its bus from
// cluster.Options.
package trace
