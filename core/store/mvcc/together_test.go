package mvcc

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// slowJournal keeps nothing; flush is called for each Flush.
type slowJournal struct {
	flush   func() error
	flushes int
}

var _ Journal = (*slowJournal)(nil)

func (*slowJournal) Recover(func(State) error, func(Entry) error) error { return nil }
func (*slowJournal) Append(Entry) (bool, error)                         { return false, nil }
func (*slowJournal) Snapshot(State) error                               { return nil }
func (*slowJournal) Close() error                                       { return nil }

func (j *slowJournal) Flush() error {
	j.flushes++
	return j.flush()
}

// together runs writes that wait while the first one of all is flushed, and returns their results.
func together(t *testing.T, e *Engine, j *slowJournal, second func() error, fns []func(*Tx) error) (revs []int64, errs []error) {
	t.Helper()
	first, j2 := make(chan struct{}), j.flushes
	j.flush = func() error {
		switch j.flushes - j2 {
		case 1: // with mu held: all others get in line
			close(first)
			for waiting := 0; waiting < len(fns); runtime.Gosched() {
				e.queue.mu.Lock()
				waiting = len(e.queue.waiting)
				e.queue.mu.Unlock()
			}
			return nil
		case 2:
			return second()
		}
		return nil
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := e.Update(func(tx *Tx) error { _, err := tx.Put("first", []byte("x"), 0); return err }); err != nil {
			t.Error(err)
		}
	})
	<-first
	revs, errs = make([]int64, len(fns)), make([]error, len(fns))
	for i, fn := range fns {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panicked: %v", p)
				}
			}()
			revs[i], errs[i] = e.Update(fn)
		})
	}
	all.Wait()
	return revs, errs
}

func openWith(t *testing.T, j Journal, opts Options) *Engine {
	t.Helper()
	opts.Journal, opts.ProgressInterval = j, -1
	e, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func TestWaitingWritersShareAFlush(t *testing.T) {
	j := &slowJournal{}
	e := openWith(t, j, Options{})
	w, _, err := e.Watch(WatchOptions{Key: "k", End: "l"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const writers = 16
	own := errors.New("the transaction's own")
	var fns []func(*Tx) error
	for i := range writers {
		fns = append(fns, func(tx *Tx) error { _, err := tx.Put(fmt.Sprintf("k%02d", i), []byte("v"), 0); return err })
	}
	fns = append(fns,
		func(tx *Tx) error { _, _, err := tx.Get("first"); return err }, // changes nothing
		func(tx *Tx) error { _, err := tx.Put("k99", nil, 0); return errors.Join(err, own) },
		func(tx *Tx) error { _, _ = tx.Put("k98", nil, 0); panic("here") },
	)
	revs, errs := together(t, e, j, func() error { return nil }, fns)
	if j.flushes != 2 {
		t.Errorf("%d flushes, want one for the first and one for all others", j.flushes)
	}
	got := slices.Sorted(slices.Values(revs[:writers]))
	for i := range writers {
		if errs[i] != nil || got[i] != int64(3+i) {
			t.Fatalf("revisions %v, errors %v", got, errs)
		}
	}
	if errs[writers] != nil || !errors.Is(errs[writers+1], own) || errs[writers+2] == nil || errs[writers+2].Error() != "panicked: here" {
		t.Errorf("of the others: %v", errs[writers:])
	}
	for seen := int64(2); seen < 2+writers; {
		b, err := w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range b.Events {
			if seen++; c.KV.ModRevision != seen {
				t.Fatalf("revision %d in place of %d", c.KV.ModRevision, seen)
			}
		}
	}
	if s := e.Status(); s.Keys != writers+1 || s.Revision != 2+writers {
		t.Errorf("%+v", s)
	}
}

// TestFailedFlushTakesAllBack: what one flush was for did not happen, whatever it was.
func TestFailedFlushTakesAllBack(t *testing.T) {
	j := &slowJournal{flush: func() error { return nil }}
	// A history that the batch alone would fill.
	e := openWith(t, j, Options{HistoryRecords: 5})
	lease, err := e.Grant(7, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if _, err := e.Update(func(tx *Tx) error {
			_, err := tx.Put(fmt.Sprint("old", i), []byte("before"), lease.ID*int64(i%2))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	var fns []func(*Tx) error
	for i := range 8 {
		fns = append(fns, func(tx *Tx) error {
			_, err := tx.Put(fmt.Sprint("old", i), []byte("after"), lease.ID*int64((i+1)%2))
			_, err2 := tx.DeleteRange("old0", ToEnd)
			_, err3 := tx.Put("old3", nil, lease.ID)
			_, err4 := tx.Put("new", []byte("after"), 0)
			return errors.Join(err, err2, err3, err4)
		})
	}
	bad := errors.New("input/output error")
	revs, errs := together(t, e, j, func() error { return bad }, append(fns, func(*Tx) error { return nil }))
	for i, err := range errs {
		if !errors.Is(err, bad) || revs[i] != 10 {
			t.Errorf("write %d: revision %d, %v", i, revs[i], err)
		}
	}
	// An engine to which they were never put.
	never := openWith(t, &slowJournal{flush: func() error { return nil }}, Options{HistoryRecords: 5})
	if _, err := never.Grant(7, 1000); err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		if _, err := never.Update(func(tx *Tx) error {
			key, value, id := fmt.Sprint("old", i), "before", lease.ID*int64(i%2)
			if i == 8 {
				key, value, id = "first", "x", 0
			}
			_, err := tx.Put(key, []byte(value), id)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := e.Status(), never.Status(); got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	want, err := never.State()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.State(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	for _, x := range []*Engine{e, never} { // and so it goes on
		if rev, err := x.Update(func(tx *Tx) error { _, err := tx.Delete("old1"); return err }); err != nil || rev != 11 {
			t.Errorf("the next write: %d, %v", rev, err)
		}
		if l, err := x.TimeToLive(7); err != nil || !slices.Equal(l.Keys, []string{"old3", "old5", "old7"}) {
			t.Errorf("keys of the lease: %v, %v", l.Keys, err)
		}
	}
}
