package persist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// small makes generations change often.
var small = Options{SnapshotBytes: 4 << 10}

func TestReopen(t *testing.T) {
	for _, opts := range []Options{{}, small, {Sync: SyncInterval}, {Sync: SyncNever}} {
		t.Run(fmt.Sprintf("%+v", opts), func(t *testing.T) {
			m, want := newMemory(), newReplica()
			for range 20 {
				e := openEngine(t, m, opts)
				want.check(t, e)
				for range 100 {
					if _, err := advance(e); err != nil {
						t.Fatal(err)
					}
				}
				want.check(t, e)
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if rev, err := Check(m); err != nil || rev != want.rev {
				t.Errorf("Check: %d, %v, want %d", rev, err, want.rev)
			}
			if names, _ := m.Files(); opts == small && len(names) > 5 {
				t.Errorf("old generations stay: %v", names)
			}
		})
	}
}

func TestWhatWasBeforeIsCompacted(t *testing.T) {
	m := filled(t, 10, Options{})
	e := openEngine(t, m, Options{})
	defer e.Close()
	if _, err := e.Range(mvcc.Query{Key: "/", End: "0", Rev: 10}, func(mvcc.KV) {}); !errors.Is(err, mvcc.ErrCompacted) {
		t.Errorf("a read before: %v", err)
	}
	if _, err := e.Range(mvcc.Query{Key: "/", End: "0", Rev: 11}, func(mvcc.KV) {}); err != nil {
		t.Errorf("a read at the revision it was left at: %v", err)
	}
	for _, rev := range []int64{5, 11} {
		w, _, err := e.Watch(mvcc.WatchOptions{Key: "/", End: "0", Rev: rev})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Next(t.Context())
		var compacted *mvcc.CompactedError
		if !errors.As(err, &compacted) || compacted.CompactRevision != 12 {
			t.Errorf("a watch from %d: %v, want compacted up to 12", rev, err)
		}
		w.Close()
	}
	w, _, err := e.Watch(mvcc.WatchOptions{Key: "/", End: "0", Rev: 12})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := advance(e); err != nil {
		t.Fatal(err)
	}
	if b, err := w.Next(t.Context()); err != nil || b.Events[0].KV.ModRevision != 12 {
		t.Errorf("a watch from the next revision: %+v, %v", b, err)
	}
	if err := e.Compact(5); err != nil {
		t.Errorf("a compactor that goes on as before: %v", err)
	}
}

func TestLeases(t *testing.T) {
	for _, snapshot := range []bool{false, true} {
		t.Run(fmt.Sprintf("snapshot=%v", snapshot), func(t *testing.T) {
			m := newMemory()
			opts := Options{}
			if snapshot {
				opts = small
			}
			e := openEngine(t, m, opts)
			stays, _ := e.Grant(0, 1000)
			goes, _ := e.Grant(0, 1000)
			if _, err := e.Update(func(tx *mvcc.Tx) error {
				for key, lease := range map[string]int64{"a": stays.ID, "b": goes.ID, "c": stays.ID, "d": 0} {
					if _, err := tx.Put(key, make([]byte, 3000), lease); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Revoke(goes.ID); err != nil {
				t.Fatal(err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			e = openEngine(t, m, opts)
			defer e.Close()
			l, err := e.TimeToLive(stays.ID)
			if err != nil || l.TTL != 1000 || !slices.Equal(l.Keys, []string{"a", "c"}) {
				t.Errorf("%+v, %v", l, err)
			}
			if _, err := e.TimeToLive(goes.ID); !errors.Is(err, mvcc.ErrLeaseNotFound) {
				t.Errorf("a revoked lease is back: %v", err)
			}
			if _, err := e.Revoke(stays.ID); err != nil {
				t.Fatal(err)
			}
			if s := e.Status(); s.Keys != 1 {
				t.Errorf("%d keys after both leases ended, want 1", s.Keys)
			}
		})
	}
}

// TestDiskFull: a write that does not fit is not made, and the next that does is.
func TestDiskFull(t *testing.T) {
	m, want := newMemory(), newReplica()
	e := openEngine(t, m, Options{})
	for i := range 300 {
		if i%3 == 1 {
			m.fail = func(op, _ string) error {
				if op == "write" {
					return errDiskFull
				}
				return nil
			}
		}
		before := e.Revision()
		_, err := advance(e)
		if m.fail != nil && (!errors.Is(err, errDiskFull) || e.Revision() != before) {
			t.Fatalf("revision %d after %d: %v", e.Revision(), before, err)
		}
		if m.fail == nil && err != nil {
			t.Fatal(err)
		}
		m.fail = nil
	}
	want.check(t, e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openEngine(t, m, Options{})
	defer e.Close()
	if e.Revision() != want.rev {
		t.Errorf("revision %d, want %d", e.Revision(), want.rev)
	}
	want.check(t, e)
}

// TestFailedSyncEndsWriting: who asks a disk again after it failed may be told yes.
func TestFailedSyncEndsWriting(t *testing.T) {
	m := newMemory()
	e := openEngine(t, m, Options{})
	defer e.Close()
	if _, err := advance(e); err != nil {
		t.Fatal(err)
	}
	bad := errors.New("input/output error")
	m.fail = func(op, _ string) error {
		if op == "syncfile" {
			return bad
		}
		return nil
	}
	if _, err := advance(e); !errors.Is(err, bad) {
		t.Fatal(err)
	}
	m.fail = nil
	if _, err := advance(e); !errors.Is(err, bad) {
		t.Errorf("written after the disk failed: %v", err)
	}
	if rev := e.Revision(); rev != 2 {
		t.Errorf("at %d, want the revision before", rev)
	}
}

// TestFailedSnapshot: the journal goes on, and the next time is a new chance.
func TestFailedSnapshot(t *testing.T) {
	m, want := newMemory(), newReplica()
	log := Open(m, small)
	e, err := mvcc.Open(mvcc.Options{Journal: log, ProgressInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	m.fail = func(op, name string) error {
		if op == "write" && strings.HasPrefix(name, "snapshot") {
			return errDiskFull
		}
		return nil
	}
	for range 500 {
		if _, err := advance(e); err != nil {
			t.Fatal(err)
		}
	}
	log.writing.Wait()
	if s := log.Status(); !errors.Is(s.SnapshotErr, errDiskFull) || s.Err != nil {
		t.Errorf("%+v", s)
	}
	m.fail = nil
	again := m.copy()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openEngine(t, again, small)
	defer e.Close()
	want.check(t, e)
	if want.rev != 501 {
		t.Errorf("revision %d", want.rev)
	}
}

func TestBeginWithAState(t *testing.T) {
	given := mvcc.State{
		Rev:    70,
		KVs:    []mvcc.KV{{Key: "a", Value: "x", CreateRevision: 3, ModRevision: 60, Version: 9, Lease: 5}},
		Leases: []mvcc.LeaseGrant{{ID: 5, TTL: 100}},
	}
	m := newMemory()
	open := func(m *memory) *mvcc.Engine {
		e, err := mvcc.Open(mvcc.Options{Journal: Open(m, Options{}), Initial: &given, ProgressInterval: -1})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open(m)
	crashed := m.copy()
	if _, err := e.Update(func(tx *mvcc.Tx) error { _, err := tx.Put("b", nil, 5); return err }); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(m)
	defer e.Close()
	if a, _, rev, _ := e.Get("a"); a != given.KVs[0] || rev != 71 {
		t.Errorf("%+v at %d", a, rev)
	}
	if l, err := e.TimeToLive(5); err != nil || len(l.Keys) != 2 {
		t.Errorf("%+v, %v", l, err)
	}
	// Between the snapshot and the journal after it the process may end.
	_ = crashed.Remove(journalName(1))
	e = open(crashed)
	defer e.Close()
	if rev := e.Revision(); rev != 70 {
		t.Errorf("revision %d, want 70", rev)
	}
}
