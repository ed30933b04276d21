// Package checkpoint remembers what a cluster's store held at some moments, and puts one of them back while the cluster
// runs: an undo for `kubectl delete namespace`.
//
//	checkpoint.go  taking them, and their bounds
//	scope.go       which keys are remembered
//	difference.go  what going back to one would change
//	same.go        what is not worth changing: status, which is what machines say
//	restore.go     going back
//	fresh.go       pods that come back have yet to start
//	identity.go    owners come back under new UIDs
//	sealed.go      values that are encrypted at rest
//	kept.go        those of a cluster that is kept, read when they are first asked for
//	save.go        and written, beside whoever takes one
//	record.go      what a file of them has: of each what changed since the one before
//	writer.go      in pieces, between which others run
//	writes.go      which lines of kubectl may write, so that one is taken before
//
// It is what `etcdctl snapshot restore --bump-revision` does, in place: values are written as changes with revisions of
// their own, which watchers see as they see any other, so that no informer takes one object for another. What a
// container has in memory or in its files is not part of it: a pod that comes back begins anew.
//
// A checkpoint costs what it alone holds: values are shared with the store and with each other. It may import core/store/mvcc,
// core/store/persist and core/apiserver/etcdview, which decodes its values; it must not import the server beside it.
package checkpoint
