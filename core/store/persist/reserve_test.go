package persist

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// forward is how a tab keeps its store.
var forward = Options{Sync: SyncInterval, SyncEvery: 1 << 40, SnapshotBytes: 8 << 10, NeverBack: true}

func advanceBy(t *testing.T, e *mvcc.Engine, n int) (rev int64) {
	t.Helper()
	for range n {
		var err error
		if rev, err = advance(e); err != nil {
			t.Fatal(err)
		}
	}
	return rev
}

// TestRevisionsNeverGoBack loses power over and over at any moment, and cuts the journal as well: the
// next revision is above all that were ever given out, and a watch from before is told so.
func TestRevisionsNeverGoBack(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	m, highest, skipped := newMemory(), int64(1), 0
	for range count(60, 1000) {
		log := Open(m, forward)
		e, err := mvcc.Open(mvcc.Options{Journal: log, ProgressInterval: -1})
		if damage := (*DamageError)(nil); errors.As(err, &damage) {
			if _, _, err := Repair(m); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if log.Status().Recovered.Skipped > 0 {
			skipped++
		}
		if highest > 1 {
			w, _, err := e.Watch(mvcc.WatchOptions{Key: "/", End: "0", Rev: highest})
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.Next(t.Context())
			if !errors.Is(err, mvcc.ErrCompacted) {
				t.Fatalf("a watch from revision %d, with the store at %d: %v", highest, e.Revision(), err)
			}
			w.Close()
		}
		next := advanceBy(t, e, 1)
		if next <= highest {
			t.Fatalf("revision %d was given out after %d", next, highest)
		}
		highest = advanceBy(t, e, 1+r.IntN(300))
		if r.IntN(4) == 0 {
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			again := openEngine(t, m, forward)
			if again.Revision() != highest {
				t.Fatalf("closed in good order at %d, opened at %d", highest, again.Revision())
			}
			highest = advanceBy(t, again, 1)
		}
		m = m.afterPowerLoss(r)
	}
	if skipped == 0 {
		t.Error("nothing was lost: the test proves nothing")
	}
}

// TestALeapIsKept: a snapshot and a journal that follow it read as they were.
func TestALeapIsKept(t *testing.T) {
	m := newMemory()
	e := openEngine(t, m, forward)
	advanceBy(t, e, 20)
	lost := m.copy()
	e = openEngine(t, lost, forward)
	if got := e.Revision(); got != reserveStep {
		t.Fatalf("at revision %d, want %d", got, reserveStep)
	}
	highest := advanceBy(t, e, 300) // some generations
	before, err := e.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, opts := range []Options{forward, {}} {
		e = openEngine(t, lost.copy(), opts)
		after, err := e.State()
		if err != nil || after.Rev != highest || len(after.KVs) != len(before.KVs) {
			t.Errorf("revision %d with %d keys, %v; want %d with %d", after.Rev, len(after.KVs), err, highest, len(before.KVs))
		}
		_ = e.Close()
	}
}

// TestDamagedReservations: whatever is in the file, the store opens, and goes on above what was given out.
func TestDamagedReservations(t *testing.T) {
	m := newMemory()
	e := openEngine(t, m, forward)
	highest := advanceBy(t, e, 5)
	text := m.files[revisionsName].data
	try := func(what string, data []byte, gone bool) {
		t.Helper()
		c := m.copy()
		c.files[revisionsName].data = data
		if gone {
			delete(c.files, revisionsName)
		}
		for range 2 {
			e := openEngine(t, c, forward)
			if e.Revision() < highest {
				t.Errorf("%s: at revision %d, %d was given out", what, e.Revision(), highest)
			}
			advanceBy(t, e, 1)
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	try("gone", nil, true)
	try("empty", nil, false)
	for at := range text {
		try("cut", bytes.Clone(text[:at]), false)
		flipped := bytes.Clone(text)
		flipped[at] ^= 0x10
		try("turned", flipped, false)
	}
	// A repair takes revisions away that were given out.
	c := m.copy()
	data := c.files[journalName(0)].data
	data[len(data)/2] ^= 1
	if rev, lost, err := Repair(c); err != nil || len(lost) != 1 || rev >= highest {
		t.Fatalf("repaired to %d, %v, %v", rev, lost, err)
	}
	for _, opts := range []Options{forward, {NeverBack: true}} {
		e := openEngine(t, c.copy(), opts)
		if e.Revision() < highest {
			t.Errorf("repaired, and at revision %d again; %d was given out", e.Revision(), highest)
		}
		_ = e.Close()
	}
}
