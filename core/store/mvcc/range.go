package mvcc

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/buntdb"
)

// ToEnd as Query.End means that the range has no upper bound.
const ToEnd = "\x00"

// Query selects keys as etcd's RangeRequest does.
type Query struct {
	// Key is the only key, or the first of the range.
	Key string
	// End is the first key after the range. Empty: Key alone. ToEnd: no bound.
	End string
	// Rev is the revision to read at. 0 is the latest.
	Rev int64
	// Limit bounds the keys that are visited, not those that are counted.
	// 0 is no limit.
	Limit int64
	// CountOnly visits nothing.
	CountOnly bool
}

// contains tells whether key lies in the range [start, end).
func contains(start, end, key string) bool {
	switch end {
	case "":
		return key == start
	case ToEnd:
		return key >= start
	}
	return key >= start && key < end
}

// RangeResult is what a Range found.
type RangeResult struct {
	// Count is the number of keys in the range, whatever the limit.
	Count int64
	// Revision is the latest revision at the time of the read.
	Revision int64
}

// Range calls visit for the selected keys in order. visit runs under the
// engine's read lock: it must be quick and must not call the engine.
// It fails with ErrCompacted or ErrFutureRev if the revision cannot be read.
func (e *Engine) Range(q Query, visit func(KV)) (RangeResult, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return RangeResult{}, ErrClosed
	}
	res := RangeResult{Revision: e.rev}
	if err := e.checkRev(q.Rev); err != nil {
		return res, err
	}
	err := e.db.View(func(bt *buntdb.Tx) (err error) {
		if q.Rev <= 0 || q.Rev == e.rev {
			res.Count, err = rangeLatest(bt, q, visit)
		} else {
			res.Count, err = rangeAt(bt, q, e.history.since(q.Rev+1), nil, visit)
		}
		return err
	})
	if err != nil {
		return res, fmt.Errorf("range from %q: %w", q.Key, err)
	}
	return res, nil
}

// Get returns one key's latest version, and the latest revision.
func (e *Engine) Get(key string) (kv KV, found bool, rev int64, err error) {
	res, err := e.Range(Query{Key: key}, func(v KV) { kv, found = v, true })
	return kv, found, res.Revision, err
}

// checkRev tells whether rev can be read. Caller must hold mu.
func (e *Engine) checkRev(rev int64) error {
	switch {
	case rev > e.rev:
		return ErrFutureRev
	case rev > 0 && rev < e.compact:
		return ErrCompacted
	}
	return nil
}

// ascend calls each for the stored entries of [start, end), in order.
func ascend(bt *buntdb.Tx, start, end string, each func(key, stored string)) error {
	step := func(key, stored string) bool {
		each(key, stored)
		return true
	}
	switch end {
	case "":
		stored, err := bt.Get(start)
		if errors.Is(err, buntdb.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		each(start, stored)
		return nil
	case ToEnd:
		return bt.AscendGreaterOrEqual("", start, step)
	}
	return bt.AscendRange("", start, end, step)
}

// rangeLatest reads the state as buntdb holds it.
func rangeLatest(bt *buntdb.Tx, q Query, visit func(KV)) (count int64, err error) {
	err = ascend(bt, q.Key, q.End, func(key, stored string) {
		count++
		if !q.CountOnly && (q.Limit <= 0 || count <= q.Limit) {
			visit(decode(key, stored))
		}
	})
	return count, err
}

// rangeAt reads an earlier state: the latest one with the later records, and the
// changes of an open transaction, taken back. It costs one pass over what was
// changed since.
func rangeAt(bt *buntdb.Tx, q Query, later []Record, open []Change, visit func(KV)) (int64, error) {
	// The version each changed key had before its first later change; nil if
	// it had none. Going backwards, the first change is the last to be seen.
	before := map[string]*KV{}
	undo := func(changes []Change) {
		for _, c := range slices.Backward(changes) {
			if contains(q.Key, q.End, c.KV.Key) {
				before[c.KV.Key] = c.Prev
			}
		}
	}
	undo(open)
	for _, r := range slices.Backward(later) {
		undo(r.Changes)
	}
	past := slices.Sorted(maps.Keys(before))
	past = slices.DeleteFunc(past, func(k string) bool { return before[k] == nil })

	// Merge the two sorted sequences: what was, and what was never changed.
	var count int64
	wanted := func() bool {
		count++
		return !q.CountOnly && (q.Limit <= 0 || count <= q.Limit)
	}
	giveOne := func() {
		kv := before[past[0]]
		past = past[1:]
		if wanted() {
			visit(*kv)
		}
	}
	err := ascend(bt, q.Key, q.End, func(key, stored string) {
		for len(past) > 0 && past[0] <= key {
			giveOne()
		}
		if _, changed := before[key]; !changed && wanted() {
			visit(decode(key, stored))
		}
	})
	for err == nil && len(past) > 0 {
		giveOne()
	}
	return count, err
}
