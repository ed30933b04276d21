package persist

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// image is an engine and another with the same past, as that of an image of its program's memory.
type image struct {
	files         *memory
	log           *Log
	engine, other *mvcc.Engine
}

// imageOf has the other one go on for so many revisions; its files are those that the first finds.
func imageOf(t *testing.T, revisions int) image {
	t.Helper()
	opts := forward
	opts.SnapshotBytes = 1 << 20
	m := newMemory()
	e := openEngine(t, m, opts)
	advanceBy(t, e, 20)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	im := image{files: m.copy()}
	im.log = Open(im.files, opts)
	var err error
	if im.engine, err = mvcc.Open(mvcc.Options{Journal: im.log, ProgressInterval: -1}); err != nil {
		t.Fatal(err)
	}
	im.other = openEngine(t, m, opts)
	if _, err := im.other.Grant(7, 100); err != nil {
		t.Fatal(err)
	}
	advanceBy(t, im.other, revisions)
	im.show(m)
	return im
}

// show has the image find the files of the other one.
func (im image) show(m *memory) {
	for name, f := range m.files {
		if im.files.files[name] == nil {
			im.files.files[name] = &memoryFile{m: im.files, name: name}
		}
		im.files.files[name].data = slices.Clone(f.data)
	}
}

func (im image) revisions() []byte { return im.files.files[RevisionsFile].data }

// TestGoingOn: what was written since comes as writes that watchers see, at the revisions that it had, and the next
// revision is above all that may have been given out, for watchers that lose nothing; and so once more.
func TestGoingOn(t *testing.T) {
	im := imageOf(t, 300)
	w, _, err := im.engine.Watch(mvcc.WatchOptions{Key: mvcc.ToEnd, End: mvcc.ToEnd})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	truth, _, err := im.other.Watch(mvcc.WatchOptions{Key: mvcc.ToEnd, End: mvcc.ToEnd, Rev: 22})
	if err != nil {
		t.Fatal(err)
	}
	defer truth.Close()
	events := func(w *mvcc.Watcher, last int64) (seen []mvcc.Change) {
		for len(seen) == 0 || seen[len(seen)-1].KV.ModRevision < last {
			b, err := w.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, b.Events...)
		}
		return seen
	}
	a, err := im.log.Ahead()
	if err != nil {
		t.Fatal(err)
	}
	if err := im.engine.GoOn(a.Entries, func() (int64, error) { return im.log.GoOn(a, im.revisions()) }); err != nil {
		t.Fatal(err)
	}
	last := im.other.Revision()
	if got, want := events(w, last), events(truth, last); !reflect.DeepEqual(got, want) {
		t.Errorf("a watcher saw %d changes that differ from the %d there were", len(got), len(want))
	}
	if got := im.engine.Leases(); !slices.Equal(got, []int64{7}) {
		t.Errorf("leases %v", got)
	}
	if got := im.engine.Revision(); got < reserveStep || got < last {
		t.Errorf("at revision %d after one at %d", got, last)
	}
	mine, err := im.engine.State()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := im.other.State()
	if err != nil || !reflect.DeepEqual(mine.KVs, theirs.KVs) {
		t.Errorf("the keys are others, %v", err)
	}
	next := advanceBy(t, im.engine, 5)
	if got := events(w, next); got[0].KV.ModRevision != next-4 {
		t.Errorf("the watcher goes on at revision %d, want %d", got[0].KV.ModRevision, next-4)
	}
	// What is on the disk is a store, also for one that opens it anew.
	again := openEngine(t, im.files.copy(), forward)
	if got := again.Revision(); got < next {
		t.Errorf("opened at revision %d, and %d was given out", got, next)
	}
	_ = again.Close()
}

// TestAheadOfDamage cuts and flips the journal everywhere behind the image: what is read is a beginning of what was
// written, or nothing.
func TestAheadOfDamage(t *testing.T) {
	im := imageOf(t, 40)
	whole, err := im.log.Ahead()
	if err != nil || len(whole.Entries) < 40 {
		t.Fatalf("%d entries, %v", len(whole.Entries), err)
	}
	name := journalName(im.log.gen)
	f := im.files.files[name]
	data := f.data
	check := func(what string, at int) {
		a, err := im.log.Ahead()
		if err != nil && !errors.Is(err, ErrNotAhead) {
			t.Fatalf("%s at %d: %v", what, at, err)
		}
		if err == nil && len(a.Entries) > 0 && !reflect.DeepEqual(a.Entries, whole.Entries[:len(a.Entries)]) {
			t.Fatalf("%s at %d: something was read that was not written", what, at)
		}
		if err == nil && what == "flipped" && len(a.Entries) == len(whole.Entries) {
			t.Fatalf("flipped at %d: nobody noticed", at)
		}
	}
	for at := int(im.log.end) - 9; at < len(data); at += 1 + at%3 {
		f.data = slices.Clone(data[:at])
		if _, err := im.log.Ahead(); at < int(im.log.end) && !errors.Is(err, ErrNotAhead) {
			t.Fatalf("cut off before the image, at %d: %v", at, err)
		}
		check("cut", at)
		if at < int(im.log.end) {
			continue
		}
		f.data = slices.Clone(data)
		f.data[at] ^= 1 << (at % 8)
		check("flipped", at)
	}
	f.data = append(slices.Clone(data), make([]byte, maxAhead)...)
	if _, err := im.log.Ahead(); !errors.Is(err, ErrNotAhead) {
		t.Errorf("too much: %v", err)
	}
	f.data = data
	for _, bad := range [][]byte{nil, []byte("no revisions"), im.revisions()[:len(im.revisions())-3]} {
		if _, err := im.log.GoOn(whole, bad); !errors.Is(err, ErrNotAhead) {
			t.Errorf("reservations %q: %v", bad, err)
		}
	}
}
