package mvcc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/buntdb"
)

// errBusy says that somebody has the engine's lock.
var errBusy = errors.New("mvcc: somebody is writing")

// GoOn takes over what an engine with the same past has kept since: each entry as the write that it was, at its own
// revision, which watchers see. Then the engine leaps to the revision that goOn returns, without any watcher
// losing its place. It never waits for the lock. When it fails the engine is not to be used any more.
func (e *Engine) GoOn(entries []Entry, goOn func() (rev int64, err error)) error {
	if !e.mu.TryLock() {
		return errBusy
	}
	defer e.mu.Unlock()
	if e.closed {
		return ErrClosed
	}
	for i := range entries {
		if err := e.again(&entries[i]); err != nil {
			return err
		}
	}
	rev, err := goOn()
	if err != nil {
		return err
	}
	if rev != e.rev {
		if err := e.leap(rev); err != nil {
			return err
		}
	}
	e.trim()
	return nil
}

// leap has the next revision come after rev. Caller must hold mu for writing.
func (e *Engine) leap(rev int64) error {
	if rev <= e.rev {
		return fmt.Errorf("mvcc: a leap to revision %d from revision %d", rev, e.rev)
	}
	e.rev = rev
	e.history.append(Record{Rev: rev})
	return nil
}

// again does what an entry says, for watchers to see. Caller must hold mu for writing.
func (e *Engine) again(entry *Entry) error {
	switch entry.Kind {
	case EntryRevision:
	case EntryBump:
		return e.leap(entry.Record.Rev)
	default:
		return e.replay(*entry)
	}
	if entry.Record.Rev != e.rev+1 {
		return fmt.Errorf("mvcc: revision %d follows revision %d", entry.Record.Rev, e.rev)
	}
	tx := Tx{e: e}
	err := e.db.Update(func(bt *buntdb.Tx) error {
		tx.bt = bt
		for i := range entry.Record.Changes {
			if err := tx.again(&entry.Record.Changes[i]); err != nil {
				return err
			}
		}
		return nil
	})
	tx.bt = nil
	if err != nil {
		return err
	}
	e.publish(e.stage(&tx))
	return nil
}

// again is Put or Delete with the version that there was.
func (tx *Tx) again(c *Change) error {
	if c.Delete {
		prev, err := tx.Delete(c.KV.Key)
		if err == nil && prev == nil {
			err = fmt.Errorf("mvcc: %q was deleted, and is not there", c.KV.Key)
		}
		return err
	}
	kv := c.KV
	kv.Key = strings.Clone(kv.Key) // it may be a part of something bigger
	old, found, err := tx.Get(kv.Key)
	if err != nil {
		return err
	}
	change := Change{}
	if found {
		change.Prev = &old
		tx.size -= entrySize(&old)
	} else {
		tx.keys++
	}
	if _, _, err := tx.bt.Set(kv.Key, encode(&kv, bytesOf(kv.Value)), nil); err != nil {
		return fmt.Errorf("put %q again: %w", kv.Key, err)
	}
	tx.size += entrySize(&kv)
	change.KV = kv
	tx.changes = append(tx.changes, change)
	return nil
}
