package store

import "github.com/tabernetes/tabernetes/core/store/mvcc"

// Inspector looks into a store beside its clients, for people: it changes nothing
// and is no part of what Kubernetes uses. Values are read-only.
type Inspector interface {
	// Status returns the counters.
	Status() mvcc.Status
	// Keys returns up to limit keys that begin with prefix and come after a key,
	// in order, without their values; 0 is no limit.
	Keys(prefix, after string, limit int) ([]mvcc.KeyInfo, error)
	// Get returns the latest version of a key.
	Get(key string) (kv mvcc.KV, found bool, rev int64, err error)
	// KeyHistory returns the changes of a key that are still held, oldest first.
	KeyHistory(key string) ([]mvcc.Change, error)
	// Records returns up to limit revisions from rev on; 0 is no limit. It fails
	// with mvcc.ErrCompacted if rev is no longer held.
	Records(rev int64, limit int) ([]mvcc.Record, error)
	// Watchers describes the live watches, each with how far it lags.
	Watchers() []mvcc.WatcherInfo
}

var _ Inspector = (*mvcc.Engine)(nil)

// Inspect returns what looks into the store.
func (s *Store) Inspect() Inspector { return s.engine }
