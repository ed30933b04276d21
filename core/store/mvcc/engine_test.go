package mvcc

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func put(t testing.TB, e *Engine, key, value string) int64 {
	t.Helper()
	rev, err := e.Update(func(tx *Tx) error {
		_, err := tx.Put(key, []byte(value), 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func del(t testing.TB, e *Engine, key string) int64 {
	t.Helper()
	rev, err := e.Update(func(tx *Tx) error {
		_, err := tx.Delete(key)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func TestRevisionsAndVersions(t *testing.T) {
	e := open(t, Options{})
	if got := e.Revision(); got != 1 {
		t.Errorf("an empty store is at revision %d, want 1 as etcd", got)
	}
	put(t, e, "a", "1")
	put(t, e, "b", "1")
	put(t, e, "a", "2")
	del(t, e, "b")
	put(t, e, "b", "3")
	if rev := del(t, e, "none"); rev != 6 {
		t.Errorf("deleting nothing went to revision %d, want 6 still", rev)
	}
	a, _, _, _ := e.Get("a")
	if want := (KV{Key: "a", Value: "2", CreateRevision: 2, ModRevision: 4, Version: 2}); a != want {
		t.Errorf("a is %v, want %v", a, want)
	}
	b, _, _, _ := e.Get("b")
	if want := (KV{Key: "b", Value: "3", CreateRevision: 6, ModRevision: 6, Version: 1}); b != want {
		t.Errorf("b is %v, want %v: a new life after a deletion", b, want)
	}
}

func TestFailedUpdateChangesNothing(t *testing.T) {
	e := open(t, Options{})
	put(t, e, "a", "1")
	before := e.Status()
	boom := errors.New("boom")
	rev, err := e.Update(func(tx *Tx) error {
		if _, err := tx.Put("a", []byte("2"), 0); err != nil {
			return err
		}
		if _, err := tx.Put("b", []byte("2"), 0); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) || rev != 2 {
		t.Errorf("got %v at %d, want boom at 2", err, rev)
	}
	if kv, _, _, _ := e.Get("a"); kv.Value != "1" {
		t.Errorf("a is %q, want the old value", kv.Value)
	}
	if after := e.Status(); after != before {
		t.Errorf("status %+v, want %+v", after, before)
	}
}

func TestTransactionSeesItself(t *testing.T) {
	e := open(t, Options{})
	put(t, e, "a", "1") // revision 2
	_, err := e.Update(func(tx *Tx) error {
		if tx.Revision() != 2 {
			t.Errorf("revision before a change %d, want 2", tx.Revision())
		}
		if _, err := tx.Put("a", []byte("2"), 0); err != nil {
			return err
		}
		if _, err := tx.Put("b", []byte("2"), 0); err != nil {
			return err
		}
		if tx.Revision() != 3 {
			t.Errorf("revision after a change %d, want 3", tx.Revision())
		}
		read := func(rev int64) (got []string) {
			_, err := tx.Range(Query{Key: "a", End: "z", Rev: rev}, func(kv KV) { got = append(got, kv.Key+kv.Value) })
			if err != nil {
				t.Error(err)
			}
			return got
		}
		if got := read(0); !slices.Equal(got, []string{"a2", "b2"}) {
			t.Errorf("latest inside: %v", got)
		}
		if got := read(2); !slices.Equal(got, []string{"a1"}) {
			t.Errorf("at the revision before: %v", got)
		}
		if _, err := tx.Range(Query{Key: "a", Rev: 4}, nil); !errors.Is(err, ErrFutureRev) {
			t.Errorf("future revision inside: %v", err)
		}
		prev, err := tx.DeleteRange("a", ToEnd)
		if len(prev) != 2 {
			t.Errorf("deleted %v", prev)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Status(); s.Keys != 0 || s.Bytes != 0 || s.Revision != 3 {
		t.Errorf("status %+v, want an empty store at 3", s)
	}
}

func TestCompare(t *testing.T) {
	e := open(t, Options{})
	lease, err := e.Grant(7, 60)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Update(func(tx *Tx) error { _, err := tx.Put("a", []byte("m"), lease.ID); return err }); err != nil {
		t.Fatal(err)
	}
	put(t, e, "b", "x")
	put(t, e, "b", "y") // create 3, mod 4, version 2
	for _, c := range []struct {
		name string
		Compare
		want bool
	}{
		{"mod", Compare{Key: "b", Target: TargetMod, Op: Equal, Int: 4}, true},
		{"mod of nothing is 0", Compare{Key: "none", Target: TargetMod, Op: Equal}, true},
		{"create", Compare{Key: "b", Target: TargetCreate, Op: Less, Int: 4}, true},
		{"version", Compare{Key: "b", Target: TargetVersion, Op: Greater, Int: 2}, false},
		{"version not equal", Compare{Key: "b", Target: TargetVersion, Op: NotEqual, Int: 1}, true},
		{"lease", Compare{Key: "a", Target: TargetLease, Op: Equal, Int: 7}, true},
		{"no lease", Compare{Key: "b", Target: TargetLease, Op: Equal}, true},
		{"value", Compare{Key: "a", Target: TargetValue, Op: Equal, Value: "m"}, true},
		{"value less", Compare{Key: "a", Target: TargetValue, Op: Less, Value: "n"}, true},
		{"value of nothing never holds", Compare{Key: "none", Target: TargetValue, Op: NotEqual, Value: "m"}, false},
		{"all of a range", Compare{Key: "a", End: "c", Target: TargetCreate, Op: Greater, Int: 1}, true},
		{"not all of a range", Compare{Key: "a", End: "c", Target: TargetVersion, Op: Equal, Int: 1}, false},
		{"empty range", Compare{Key: "x", End: "z", Target: TargetMod, Op: Equal}, true},
	} {
		if _, err := e.Update(func(tx *Tx) error {
			got, err := tx.Check(c.Compare)
			if got != c.want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestCompactErrors(t *testing.T) {
	e := open(t, Options{})
	for i := range 5 {
		put(t, e, "a", fmt.Sprint(i)) // 2 … 6
	}
	if err := e.Compact(7); !errors.Is(err, ErrFutureRev) {
		t.Errorf("future: %v", err)
	}
	if err := e.Compact(4); err != nil {
		t.Error(err)
	}
	if err := e.Compact(4); !errors.Is(err, ErrCompacted) {
		t.Errorf("twice: %v", err)
	}
	read := func(rev int64) (string, error) {
		var v string
		_, err := e.Range(Query{Key: "a", Rev: rev}, func(kv KV) { v = kv.Value })
		return v, err
	}
	if _, err := read(3); !errors.Is(err, ErrCompacted) {
		t.Errorf("below: %v", err)
	}
	if v, err := read(4); v != "2" || err != nil {
		t.Errorf("at the compaction: %q, %v, want 2", v, err)
	}
	if _, err := read(7); !errors.Is(err, ErrFutureRev) {
		t.Errorf("beyond: %v", err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Run("records", func(t *testing.T) {
		e := open(t, Options{HistoryRecords: 100})
		for i := range 1000 {
			put(t, e, fmt.Sprint(i%7), "v")
		}
		s := e.Status()
		if n := s.HistoryRecords; n > 100 || n < 90 || s.CompactRevision != s.Revision-n+1 {
			t.Errorf("%+v, want about the latest 100 revisions", s)
		}
		if got := len(e.history.recs); got > 400 {
			t.Errorf("%d records allocated for 100", got)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		const limit = 1 << 20
		e := open(t, Options{HistoryBytes: limit})
		value := string(make([]byte, 10_000))
		for range 1000 {
			put(t, e, "a", value)
		}
		if s := e.Status(); s.HistoryBytes > limit || s.HistoryBytes < limit*9/10 {
			t.Errorf("%d bytes of history, want close to %d", s.HistoryBytes, limit)
		}
	})
	t.Run("a compactor may lag behind", func(t *testing.T) {
		e := open(t, Options{HistoryRecords: 10})
		for range 100 {
			put(t, e, "a", "v")
		}
		if err := e.Compact(50); err != nil {
			t.Errorf("compacting what is gone already: %v", err)
		}
		if err := e.Compact(50); !errors.Is(err, ErrCompacted) {
			t.Errorf("twice: %v", err)
		}
	})
}

func TestClosed(t *testing.T) {
	e := open(t, Options{})
	w, _, err := e.Watch(WatchOptions{Key: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("watch: %v", err)
	}
	w.Close()
	_, _, _, err = e.Get("a")
	if !errors.Is(err, ErrClosed) {
		t.Errorf("get: %v", err)
	}
	if _, err := e.Update(func(*Tx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("update: %v", err)
	}
	if _, err := e.Grant(0, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("grant: %v", err)
	}
	if err := e.Compact(1); !errors.Is(err, ErrClosed) {
		t.Errorf("compact: %v", err)
	}
}
