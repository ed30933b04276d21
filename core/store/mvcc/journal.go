package mvcc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/buntdb"
)

// Journal keeps an engine's data beyond its life. The engine calls it with its
// lock held, so calls never overlap; it must not call the engine.
type Journal interface {
	// Recover hands over what was kept, oldest first: a state, if there is one,
	// then the entries after it. Open calls it once, before anything else.
	Recover(state func(State) error, entry func(Entry) error) error
	// Append keeps one entry: all of it or nothing. full asks for a Snapshot.
	Append(Entry) (full bool, err error)
	// Flush is called after one or several Appends, and makes them as durable as
	// the journal promises; what they were about is neither visible nor
	// acknowledged before. When it fails, what they were about did not happen.
	Flush() error
	// Snapshot is given the state after the latest entry, in place of which
	// all entries so far may be forgotten. The state is not changed later.
	Snapshot(State) error
	Close() error
}

// EntryKind tells what an Entry is.
type EntryKind byte

// The kinds of entries. The numbers are stored: they never change.
const (
	EntryRevision EntryKind = 1 // Record: one revision
	EntryGrant    EntryKind = 2 // Lease: granted
	EntryRevoke   EntryKind = 3 // Lease.ID: gone; its keys went in a revision before
	EntryBump     EntryKind = 4 // Record.Rev: nothing happened up to it, the next one is after it
)

// Entry is one thing that happened to an engine. Renewals of leases are not kept:
// after a restart each lease starts anew, as etcd's do.
type Entry struct {
	Kind EntryKind
	// Record is the revision. A journal need not keep Prev.
	Record Record
	Lease  LeaseGrant
}

// LeaseGrant is what is kept of a lease. TTL is in seconds.
type LeaseGrant struct{ ID, TTL int64 }

// State is everything an engine holds at one revision, but the past.
type State struct {
	Rev    int64
	KVs    []KV // in order of keys
	Leases []LeaseGrant
}

// keep writes an entry to the journal, if there is one. Caller must hold mu for
// writing, and change nothing if it fails.
func (e *Engine) keep(entry Entry) error {
	if e.opts.Journal == nil {
		return nil
	}
	if err := e.append(entry); err != nil {
		return err
	}
	return e.flush()
}

// flush is the journal's Flush. Caller must hold mu for writing.
func (e *Engine) flush() error {
	if err := e.opts.Journal.Flush(); err != nil {
		return fmt.Errorf("mvcc: nothing was written, because the journal cannot keep it: %w", err)
	}
	return nil
}

// append is keep without the flush.
func (e *Engine) append(entry Entry) error {
	full, err := e.opts.Journal.Append(entry)
	if err != nil {
		return fmt.Errorf("mvcc: nothing was written, because the journal cannot keep it: %w", err)
	}
	e.journalFull = e.journalFull || full
	return nil
}

// rotate gives the journal a snapshot if it asked for one. Caller must hold mu for
// writing, with no transaction open.
func (e *Engine) rotate() {
	if !e.journalFull {
		return
	}
	e.journalFull = false
	state, err := e.state()
	if err == nil {
		err = e.opts.Journal.Snapshot(state)
	}
	// What was appended is kept all the same, in a journal that grows on; it
	// will ask again.
	e.snapshotErr = err
}

// State copies what the engine holds; keys and values are shared with it.
func (e *Engine) State() (State, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return State{}, ErrClosed
	}
	return e.state()
}

// state is State for callers that hold mu.
func (e *Engine) state() (State, error) {
	s := State{Rev: e.rev, KVs: make([]KV, 0, e.keys)}
	err := e.db.View(func(bt *buntdb.Tx) error {
		return ascend(bt, ToEnd, ToEnd, func(key, stored string) { s.KVs = append(s.KVs, decode(key, stored)) })
	})
	if err != nil {
		return State{}, fmt.Errorf("copy the state: %w", err)
	}
	for _, id := range slices.Sorted(maps.Keys(e.leases.byID)) {
		s.Leases = append(s.Leases, LeaseGrant{ID: id, TTL: e.leases.byID[id].ttl})
	}
	return s, nil
}

// recover reads the journal into an empty engine. What was before is compacted.
func (e *Engine) recover() error {
	if err := e.opts.Journal.Recover(e.restore, e.replay); err != nil {
		return err
	}
	e.forgetPast()
	return nil
}

// forgetPast compacts everything up to the present, whose own record is lost, too.
func (e *Engine) forgetPast() {
	if e.rev > 1 {
		e.compact, e.lost = e.rev, e.rev
	}
}

// restore loads a state into an empty engine.
func (e *Engine) restore(s State) error {
	if e.rev != 1 || e.keys != 0 {
		return fmt.Errorf("mvcc: a state at revision %d follows revision %d", s.Rev, e.rev)
	}
	if s.Rev < 1 {
		return fmt.Errorf("mvcc: a state at revision %d, below the first", s.Rev)
	}
	for _, l := range s.Leases {
		if err := e.restoreLease(l); err != nil {
			return err
		}
	}
	err := e.db.Update(func(bt *buntdb.Tx) error {
		for _, kv := range s.KVs {
			if kv.ModRevision > s.Rev || kv.ModRevision < kv.CreateRevision || kv.CreateRevision < 1 || kv.Version < 1 {
				return fmt.Errorf("mvcc: %q of revision %d, made at %d, in a state of %d", kv.Key, kv.ModRevision, kv.CreateRevision, s.Rev)
			}
			if err := e.place(bt, kv); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.rev = s.Rev
	return nil
}

// place stores a version as it is, with its metadata.
func (e *Engine) place(bt *buntdb.Tx, kv KV) error {
	kv.Key = strings.Clone(kv.Key) // it may be a part of something bigger
	prev, replaced, err := bt.Set(kv.Key, encode(&kv, bytesOf(kv.Value)), nil)
	if err != nil {
		return fmt.Errorf("restore %q: %w", kv.Key, err)
	}
	if replaced {
		e.size -= int64(len(kv.Key) + len(prev))
		e.keys--
	}
	e.size += entrySize(&kv)
	e.keys++
	e.leases.follow(Record{Changes: []Change{{KV: kv}}})
	return nil
}

// replay does again what an entry says.
func (e *Engine) replay(entry Entry) error {
	switch entry.Kind {
	case EntryGrant:
		return e.restoreLease(entry.Lease)
	case EntryRevoke:
		delete(e.leases.byID, entry.Lease.ID)
		return nil
	case EntryRevision:
		return e.replayRecord(entry.Record)
	case EntryBump:
		if entry.Record.Rev <= e.rev {
			return fmt.Errorf("mvcc: a leap to revision %d from revision %d", entry.Record.Rev, e.rev)
		}
		e.rev = entry.Record.Rev
		return nil
	}
	return fmt.Errorf("mvcc: an entry of unknown kind %d", entry.Kind)
}

func (e *Engine) replayRecord(r Record) error {
	if r.Rev != e.rev+1 {
		return fmt.Errorf("mvcc: revision %d follows revision %d", r.Rev, e.rev)
	}
	err := e.db.Update(func(bt *buntdb.Tx) error {
		for i := range r.Changes {
			c := &r.Changes[i]
			if !c.Delete {
				if err := e.place(bt, c.KV); err != nil {
					return err
				}
				continue
			}
			stored, err := bt.Delete(c.KV.Key)
			if err != nil {
				return fmt.Errorf("delete %q again: %w", c.KV.Key, err)
			}
			e.size -= int64(len(c.KV.Key) + len(stored))
			e.keys--
			e.leases.follow(Record{Changes: []Change{{KV: KV{Key: c.KV.Key}}}})
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.rev = r.Rev
	return nil
}

func (e *Engine) restoreLease(g LeaseGrant) error {
	if g.ID <= 0 || g.TTL < 1 || g.TTL > MaxLeaseTTL || e.leases.exists(g.ID) {
		return fmt.Errorf("mvcc: lease %x of %d s cannot be, or is there already", g.ID, g.TTL)
	}
	l := &lease{id: g.ID, ttl: g.TTL, keys: map[string]struct{}{}}
	e.leases.byID[g.ID] = l
	e.renew(l)
	return nil
}
