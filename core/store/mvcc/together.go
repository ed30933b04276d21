package mvcc

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tidwall/buntdb"
)

// Writers that wait for the lock while another waits for the disk are written together: one of
// them runs all of their transactions, each of which becomes a revision of its own, and has the
// journal flushed once. Nobody sees any of it before, since the lock is held.

// write is an Update under way.
type write struct {
	fn       func(*Tx) error
	done     bool // the rest is set; guarded by Engine.mu
	rev      int64
	err      error
	panicked any // what fn panicked with, to be raised where it belongs
}

// writeQueue are the writes that nobody has begun.
type writeQueue struct {
	mu      sync.Mutex
	waiting []*write
}

func (q *writeQueue) add(w *write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, w)
}

func (q *writeQueue) take() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.waiting
	q.waiting = nil
	return batch
}

// updateTogether is Update with a journal.
func (e *Engine) updateTogether(fn func(*Tx) error) (int64, error) {
	w := &write{fn: fn}
	e.queue.add(w)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !w.done {
		e.writeAll(e.queue.take()) // w is among them
	}
	if w.panicked != nil {
		panic(w.panicked)
	}
	return w.rev, w.err
}

// writeAll does all of a batch's writes that it can, or none if the journal cannot keep them.
// Caller must hold mu for writing.
func (e *Engine) writeAll(batch []*write) {
	rev, size, keys := e.rev, e.size, e.keys
	var made []Record
	for _, w := range batch {
		w.done = true
		if e.closed {
			w.err = ErrClosed
			continue
		}
		rec, err := e.writeOne(w)
		if w.rev, w.err = e.rev, err; rec != nil {
			made = append(made, *rec)
		}
	}
	if len(made) == 0 {
		return
	}
	if err := e.flush(); err != nil {
		err = errors.Join(err, e.takeBack(made))
		e.rev, e.size, e.keys = rev, size, keys
		for _, w := range batch {
			// Those that only looked may have seen what has been taken back.
			w.rev, w.err = e.rev, errors.Join(w.err, err)
		}
		return
	}
	for _, rec := range made {
		e.publish(rec)
	}
	e.trim()
	e.rotate()
}

// writeOne stages one write, which is in the journal then, if not flushed. rec is nil if it changed
// nothing.
func (e *Engine) writeOne(w *write) (rec *Record, err error) {
	tx := Tx{e: e}
	err = e.db.Update(func(bt *buntdb.Tx) (err error) {
		tx.bt = bt
		defer func() {
			if w.panicked = recover(); w.panicked != nil {
				err = fmt.Errorf("a transaction panicked: %v", w.panicked)
			}
		}()
		if err := w.fn(&tx); err != nil || len(tx.changes) == 0 {
			return err
		}
		return e.append(Entry{Kind: EntryRevision, Record: tx.record()})
	})
	tx.bt = nil
	if err != nil || len(tx.changes) == 0 {
		return nil, err
	}
	staged := e.stage(&tx)
	return &staged, nil
}

// takeBack undoes staged revisions but for the counters. Caller must hold mu for writing.
func (e *Engine) takeBack(made []Record) error {
	return e.db.Update(func(bt *buntdb.Tx) error {
		for i := len(made) - 1; i >= 0; i-- {
			e.history.dropLast()
			changes := made[i].Changes
			for j := len(changes) - 1; j >= 0; j-- {
				var err error
				if prev := changes[j].Prev; prev != nil {
					old := *prev // others have prev
					_, _, err = bt.Set(old.Key, encode(&old, []byte(prev.Value)), nil)
				} else {
					_, err = bt.Delete(changes[j].KV.Key)
				}
				if err != nil {
					return fmt.Errorf("take back revision %d: %w", made[i].Rev, err)
				}
			}
		}
		return nil
	})
}
