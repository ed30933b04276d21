// Package mvcc is a small multi-version key-value engine with etcd's data model:
// one global revision, per-key create/mod revision and version, reads at an
// earlier revision, compare-and-write transactions, compaction, leases, and
// watches that start at any revision that is still held.
//
// The latest value of every key lives in a tidwall/buntdb database; buntdb keeps
// no past, so history is the engine's own: one Record per revision, in order,
// bounded by count and bytes. A read at an earlier revision starts from the
// latest state and takes back the records above it; a watch reads the records
// from its own position on. Nothing is copied per watcher and nothing is
// buffered for one: a slow watcher only falls behind in the history, and learns
// that it was compacted if it falls off its end.
//
// A write's way: Update (write lock; with a journal, all that wait for it at once) →
// Tx.Put/Delete on buntdb → journal → stage, the one place where a revision comes
// into being, and history → leases, wake-up of the watchers whose range was touched.
//
// The engine runs natively and on js. It may import buntdb (no other package
// may) and the standard library. It must never know of Kubernetes, etcd's client
// or the browser, never use buntdb's own TTL (it deletes with neither revision
// nor event), and never call out of the package while holding its lock, except
// for the visit functions its callers pass to Range.
package mvcc
