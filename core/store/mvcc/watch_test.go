package mvcc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func watch(t testing.TB, e *Engine, opts WatchOptions) *Watcher {
	t.Helper()
	w, _, err := e.Watch(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func next(t testing.TB, w *Watcher) Batch {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	b, err := w.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWatchFromNowAndLater(t *testing.T) {
	e := open(t, Options{})
	put(t, e, "a", "1")
	now := watch(t, e, WatchOptions{Key: "a", End: "b"})
	later := watch(t, e, WatchOptions{Key: "a", End: "b", Rev: 4})
	put(t, e, "a", "2")
	put(t, e, "x", "2")
	put(t, e, "a", "3") // revision 5
	if b := next(t, now); len(b.Events) != 2 || b.Events[0].KV.ModRevision != 3 || b.Revision != 5 {
		t.Errorf("from now: %+v", b)
	}
	if b := next(t, later); len(b.Events) != 1 || b.Events[0].KV.ModRevision != 5 {
		t.Errorf("from a future revision: %+v", b)
	}
}

func TestWatchFilters(t *testing.T) {
	e := open(t, Options{})
	puts := watch(t, e, WatchOptions{Key: "a", NoDelete: true})
	dels := watch(t, e, WatchOptions{Key: "a", NoPut: true})
	put(t, e, "a", "1")
	del(t, e, "a")
	if b := next(t, puts); len(b.Events) != 1 || b.Events[0].Delete {
		t.Errorf("without deletes: %+v", b)
	}
	b := next(t, dels)
	if len(b.Events) != 1 || !b.Events[0].Delete {
		t.Fatalf("without puts: %+v", b)
	}
	if c := b.Events[0]; c.KV != (KV{Key: "a", ModRevision: 3}) || c.Prev.Value != "1" {
		t.Errorf("a deletion is %+v after %+v", c.KV, c.Prev)
	}
}

// TestSlowWatcher shows that a watcher which does not read costs nothing and
// misses nothing, until what it needs is compacted, which it is told.
func TestSlowWatcher(t *testing.T) {
	e := open(t, Options{HistoryRecords: 5000})
	w := watch(t, e, WatchOptions{Key: "a", End: ToEnd})
	for i := range 4000 {
		put(t, e, fmt.Sprint("k", i%10), "v")
	}
	want := int64(2)
	for want < 4002 {
		b := next(t, w)
		if len(b.Events) > batchEvents {
			t.Fatalf("a batch of %d events", len(b.Events))
		}
		for _, c := range b.Events {
			if c.KV.ModRevision != want {
				t.Fatalf("revision %d, want %d", c.KV.ModRevision, want)
			}
			want++
		}
	}
	for range 6000 {
		put(t, e, "k", "v")
	}
	_, err := w.Next(t.Context())
	var compacted *CompactedError
	if !errors.As(err, &compacted) || !errors.Is(err, ErrCompacted) {
		t.Fatalf("got %v, want compacted", err)
	}
	if s := e.Status(); compacted.CompactRevision != s.CompactRevision || compacted.Revision != s.Revision {
		t.Errorf("%+v does not fit %+v", compacted, s)
	}
}

// TestIdleWatcherIsNotCompacted: history that does not concern a watcher may go.
func TestIdleWatcherIsNotCompacted(t *testing.T) {
	e := open(t, Options{HistoryRecords: 10})
	w := watch(t, e, WatchOptions{Key: "a"})
	for range 100 {
		put(t, e, "other", "v")
	}
	rev := put(t, e, "a", "1")
	if b := next(t, w); len(b.Events) != 1 || b.Events[0].KV.ModRevision != rev {
		t.Errorf("%+v", b)
	}
}

func TestOneRevisionIsOneBatch(t *testing.T) {
	e := open(t, Options{})
	w := watch(t, e, WatchOptions{Key: "a", End: ToEnd})
	const n = 3 * batchEvents
	if _, err := e.Update(func(tx *Tx) error {
		for i := range n {
			if _, err := tx.Put(fmt.Sprintf("k%05d", i), nil, 0); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if b := next(t, w); len(b.Events) != n {
		t.Errorf("%d events, want all %d of the revision", len(b.Events), n)
	}
}

func TestProgressComesAfterEvents(t *testing.T) {
	e := open(t, Options{ProgressInterval: -1})
	w := watch(t, e, WatchOptions{Key: "a", End: "b"})
	put(t, e, "a", "1")
	put(t, e, "x", "1")
	w.RequestProgress()
	w.RequestProgress()
	if b := next(t, w); len(b.Events) != 1 {
		t.Fatalf("want the event first, got %+v", b)
	}
	if b := next(t, w); len(b.Events) != 0 || b.Revision != 3 {
		t.Fatalf("want progress to 3, got %+v", b)
	}
	put(t, e, "a", "2")
	if b := next(t, w); len(b.Events) != 1 {
		t.Errorf("want one progress for two requests, got %+v", b)
	}
}

func TestPeriodicProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := openInBubble(t, Options{ProgressInterval: time.Minute})
		asked := watch(t, e, WatchOptions{Key: "a", Progress: true})
		silent := watch(t, e, WatchOptions{Key: "a"})
		start := time.Now()
		if b := next2(t, asked, 2*time.Minute); len(b.Events) != 0 || time.Since(start) != time.Minute {
			t.Errorf("after %v: %+v", time.Since(start), b)
		}
		// An interval with an event has no notification.
		put(t, e, "a", "1")
		if b := next2(t, asked, time.Minute); len(b.Events) != 1 {
			t.Errorf("%+v", b)
		}
		start = time.Now()
		if b := next2(t, asked, 3*time.Minute); len(b.Events) != 0 || time.Since(start) != 2*time.Minute {
			t.Errorf("after %v: %+v", time.Since(start), b)
		}
		if b := next2(t, silent, time.Minute); len(b.Events) != 1 {
			t.Errorf("%+v", b)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if b, err := silent.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("unasked: %+v, %v", b, err)
		}
	})
}

// openInBubble leaves buntdb's background goroutine the second it takes to see
// that the database is closed.
func openInBubble(t *testing.T, opts Options) *Engine {
	t.Helper()
	t.Cleanup(func() { time.Sleep(2 * time.Second) })
	return open(t, opts)
}

func next2(t *testing.T, w *Watcher, within time.Duration) Batch {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	b, err := w.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestConcurrentWatchers has writers, readers at old revisions and watchers
// coming and going at once; each watcher must see each revision once, in order.
func TestConcurrentWatchers(t *testing.T) {
	const writers, writes = 4, 300
	e := open(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const last = int64(1 + writers*writes)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for i := range writes {
				put(t, e, fmt.Sprint("k", i%5), "v")
			}
		})
	}
	for range 8 {
		wg.Go(func() {
			_, _, from, err := e.Get("k0")
			if err != nil {
				t.Error(err)
				return
			}
			w, _, err := e.Watch(WatchOptions{Key: "k", End: "l", Rev: from + 1})
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			for want := from + 1; want <= last; {
				b, err := w.Next(ctx)
				if err != nil {
					t.Errorf("at %d: %v", want, err)
					return
				}
				for _, c := range b.Events {
					if c.KV.ModRevision != want {
						t.Errorf("revision %d, want %d", c.KV.ModRevision, want)
						return
					}
					want++
				}
				if _, err := e.Range(Query{Key: "k", End: "l", Rev: want - 1}, func(KV) {}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if s := e.Status(); s.Revision != last || s.Watchers != 0 {
		t.Errorf("%+v, want revision %d and no watcher", s, last)
	}
}

// TestWakesWhoIsTouched has watchers of spans of each kind, and sees that a write
// wakes those that contain its key and no other.
func TestWakesWhoIsTouched(t *testing.T) {
	e := open(t, Options{})
	spans := []span{
		{"/a/", "/a0"}, {"/a/b/", "/a/b0"}, {"/a/b", "/a/c"}, {"/", "0"}, {"/a/b/c", ""}, {"/a/", ""},
		{"/a/b", ToEnd}, {ToEnd, ToEnd}, {"/a/", "/a1"}, {"", "0"}, {"/a/b/", "/a/b/0"}, {"x", "y"},
	}
	var watchers []*Watcher
	for _, p := range append(spans, spans...) {
		w, _, err := e.Watch(WatchOptions{Key: p.key, End: p.end})
		if err != nil {
			t.Fatal(err)
		}
		watchers = append(watchers, w)
	}
	for _, key := range []string{"/a/b/c", "/a/b", "/a/", "/a/bc", "/", "x", "a", "/b/c", "/a/b/c/d"} {
		put(t, e, key, "v")
		for _, w := range watchers {
			got, want := w.pending != 0, contains(w.opts.Key, w.opts.End, key)
			if got != want {
				t.Errorf("%q wakes %q: %v, want %v", key, w.span(), got, want)
			}
			w.pending = 0
			select {
			case <-w.signal:
			default:
			}
		}
	}
	for _, w := range watchers {
		w.Close()
		w.Close()
	}
	s := &e.watchers
	if s.count != 0 || len(s.groups) != 0 || len(s.directories) != 0 || len(s.odd) != 0 {
		t.Errorf("left over: %+v", s)
	}
}
