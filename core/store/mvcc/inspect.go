package mvcc

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/buntdb"
)

// KeyInfo is what there is to say about a key without its value.
type KeyInfo struct {
	Key            string
	CreateRevision int64
	ModRevision    int64
	Version        int64
	Lease          int64
	Bytes          int // length of the value
}

// Keys returns up to limit keys that begin with prefix and come after a key, in
// order; 0 is no limit. To go on, give the last key as after.
func (e *Engine) Keys(prefix, after string, limit int) ([]KeyInfo, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, ErrClosed
	}
	var out []KeyInfo
	err := e.db.View(func(bt *buntdb.Tx) error {
		return bt.AscendGreaterOrEqual("", max(prefix, after), func(key, stored string) bool {
			if !strings.HasPrefix(key, prefix) || limit > 0 && len(out) == limit {
				return false
			}
			if key != after || after == "" {
				kv := decode(key, stored)
				out = append(out, KeyInfo{kv.Key, kv.CreateRevision, kv.ModRevision, kv.Version, kv.Lease, len(kv.Value)})
			}
			return true
		})
	})
	return out, err
}

// KeyHistory returns the changes of a key that are still held, oldest first.
func (e *Engine) KeyHistory(key string) ([]Change, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, ErrClosed
	}
	var out []Change
	for _, r := range e.history.since(0) {
		for _, c := range r.Changes {
			if c.KV.Key == key {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// Records returns up to limit revisions from rev on, oldest first, with what each
// changed; 0 is no limit. It fails with ErrCompacted if rev is no longer held.
func (e *Engine) Records(rev int64, limit int) ([]Record, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	switch {
	case e.closed:
		return nil, ErrClosed
	case rev < e.compact || rev <= e.lost:
		return nil, ErrCompacted
	}
	held := e.history.since(rev)
	if limit > 0 {
		held = held[:min(limit, len(held))]
	}
	out := slices.Clone(held)
	for i := range out {
		// compaction writes into the changes of the oldest
		out[i].Changes = slices.Clone(out[i].Changes)
	}
	return out, nil
}

// WatcherInfo describes a live watcher.
type WatcherInfo struct {
	// ID tells watchers of one engine apart, in the order in which they began.
	ID       int64
	Key, End string // as in Query
	Began    time.Time
	// From is the revision that it began with.
	From int64
	// Events is how many it was given.
	Events int64
	// Next is the first revision that it was not given and that may concern it,
	// 0 if there is none; Lag is how many revisions there are from there on.
	Next, Lag int64
}

// Watchers describes the live watchers, in the order in which they began.
func (e *Engine) Watchers() []WatcherInfo {
	e.mu.Lock() // pending is written by readers that hold mu for reading
	defer e.mu.Unlock()
	var out []WatcherInfo
	for g := range maps.Values(e.watchers.groups) {
		for _, w := range *g {
			i := WatcherInfo{
				ID: w.id, Key: w.opts.Key, End: w.opts.End, Began: w.began, From: w.from,
				Events: w.events.Load(), Next: w.pending,
			}
			if i.Next != 0 {
				i.Lag = e.rev - i.Next + 1
			}
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b WatcherInfo) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
