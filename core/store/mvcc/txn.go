package mvcc

import (
	"errors"
	"fmt"

	"github.com/tidwall/buntdb"
)

// Tx is a write transaction in progress. It sees its own changes. It must not be
// used after the function given to Update returned.
type Tx struct {
	e       *Engine
	bt      *buntdb.Tx
	changes []Change
	size    int64 // change of Engine.size
	keys    int64 // change of Engine.keys
}

// Update runs fn with the store to itself. If fn changed something, all of it
// becomes one new revision; if not, the revision stays. If fn fails nothing is
// changed and its error is returned. rev is the latest revision afterwards.
func (e *Engine) Update(fn func(*Tx) error) (rev int64, err error) {
	if e.opts.Journal != nil {
		return e.updateTogether(fn)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, ErrClosed
	}
	return e.update(fn)
}

// update is Update for callers that hold mu for writing.
func (e *Engine) update(fn func(*Tx) error) (int64, error) {
	tx := Tx{e: e}
	err := e.db.Update(func(bt *buntdb.Tx) error {
		tx.bt = bt
		if err := fn(&tx); err != nil || len(tx.changes) == 0 {
			return err
		}
		return e.keep(Entry{Kind: EntryRevision, Record: tx.record()})
	})
	tx.bt = nil
	if err != nil {
		return e.rev, err
	}
	if len(tx.changes) > 0 {
		rec := e.stage(&tx)
		e.publish(rec)
		e.trim()
		e.rotate()
	}
	return e.rev, nil
}

// stage makes the transaction's changes the next revision. Every revision comes into being here
// and nowhere else. Caller must hold mu for writing until it was published, or taken back.
func (e *Engine) stage(tx *Tx) Record {
	rec := tx.record()
	e.rev = rec.Rev
	e.size += tx.size
	e.keys += tx.keys
	e.history.append(rec)
	return rec
}

// publish tells of a revision that the journal has. Caller must hold mu for writing.
func (e *Engine) publish(rec Record) {
	e.leases.follow(rec)
	e.watchers.wake(rec)
}

func (tx *Tx) record() Record { return Record{Rev: tx.e.rev + 1, Changes: tx.changes} }

// Revision is the latest revision a reader inside the transaction is at: the
// next one as soon as something was changed.
func (tx *Tx) Revision() int64 {
	if len(tx.changes) > 0 {
		return tx.e.rev + 1
	}
	return tx.e.rev
}

// Get returns the key's latest version.
func (tx *Tx) Get(key string) (KV, bool, error) {
	stored, err := tx.bt.Get(key)
	if errors.Is(err, buntdb.ErrNotFound) {
		return KV{}, false, nil
	}
	if err != nil {
		return KV{}, false, fmt.Errorf("get %q: %w", key, err)
	}
	return decode(key, stored), true, nil
}

// Range is Engine.Range inside the transaction. visit must not write.
func (tx *Tx) Range(q Query, visit func(KV)) (RangeResult, error) {
	res := RangeResult{Revision: tx.Revision()}
	err := tx.e.checkRev(min(q.Rev, res.Revision))
	if q.Rev > res.Revision {
		err = ErrFutureRev
	}
	if err != nil {
		return res, err
	}
	if q.Rev <= 0 || q.Rev == res.Revision {
		res.Count, err = rangeLatest(tx.bt, q, visit)
	} else {
		res.Count, err = rangeAt(tx.bt, q, tx.e.history.since(q.Rev+1), tx.changes, visit)
	}
	if err != nil {
		return res, fmt.Errorf("range from %q: %w", q.Key, err)
	}
	return res, nil
}

// LeaseExists tells whether a key can be attached to the lease. 0, no lease, can.
func (tx *Tx) LeaseExists(id int64) bool { return id == 0 || tx.e.leases.exists(id) }

// Put writes a value and attaches the key to the lease, 0 for none. It copies
// value. prev is the version that was replaced, nil if there was none. It fails
// with ErrLeaseNotFound if there is no such lease.
func (tx *Tx) Put(key string, value []byte, lease int64) (prev *KV, err error) {
	if !tx.LeaseExists(lease) {
		return nil, ErrLeaseNotFound
	}
	rev := tx.e.rev + 1
	old, found, err := tx.Get(key)
	if err != nil {
		return nil, err
	}
	kv := KV{Key: key, CreateRevision: rev, ModRevision: rev, Version: 1, Lease: lease}
	if found {
		prev = &old
		kv.CreateRevision, kv.Version = old.CreateRevision, old.Version+1
		tx.size -= entrySize(&old)
	} else {
		tx.keys++
	}
	if _, _, err := tx.bt.Set(kv.Key, encode(&kv, value), nil); err != nil {
		return nil, fmt.Errorf("put %q: %w", key, err)
	}
	tx.size += entrySize(&kv)
	tx.changes = append(tx.changes, Change{KV: kv, Prev: prev})
	return prev, nil
}

// Delete deletes a key. prev is the deleted version, nil if there was none; then
// nothing was changed.
func (tx *Tx) Delete(key string) (prev *KV, err error) {
	stored, err := tx.bt.Delete(key)
	if errors.Is(err, buntdb.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("delete %q: %w", key, err)
	}
	old := decode(key, stored)
	tx.keys--
	tx.size -= entrySize(&old)
	tx.changes = append(tx.changes, Change{
		KV:     KV{Key: key, ModRevision: tx.e.rev + 1},
		Prev:   &old,
		Delete: true,
	})
	return &old, nil
}

// DeleteRange deletes all keys of [start, end), with Query's meaning of end, and
// returns what it deleted in order.
func (tx *Tx) DeleteRange(start, end string) ([]*KV, error) {
	if end == "" {
		prev, err := tx.Delete(start)
		if prev == nil || err != nil {
			return nil, err
		}
		return []*KV{prev}, nil
	}
	// Collect first: buntdb refuses writes inside an iteration (ErrTxIterating).
	var keys []string
	if _, err := rangeLatest(tx.bt, Query{Key: start, End: end}, func(kv KV) { keys = append(keys, kv.Key) }); err != nil {
		return nil, fmt.Errorf("delete range from %q: %w", start, err)
	}
	deleted := make([]*KV, 0, len(keys))
	for _, k := range keys {
		prev, err := tx.Delete(k)
		if err != nil {
			return nil, err
		}
		deleted = append(deleted, prev)
	}
	return deleted, nil
}

func entrySize(kv *KV) int64 { return int64(len(kv.Key) + headerLen + len(kv.Value)) }
