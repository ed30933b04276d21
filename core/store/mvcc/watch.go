package mvcc

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A batch ends at the first revision that reaches one of these, so that neither
// the read lock nor, on js, the only thread is held for long, and a watcher whose
// reader stalled, which holds one batch, holds little.
const (
	batchRecords = 1024
	batchEvents  = 128
	batchBytes   = 1 << 20 // of new and previous values
)

// WatchOptions say what to watch.
type WatchOptions struct {
	Key, End string // as in Query
	// Rev is the first revision of interest. 0 is the next one. It may lie in
	// the future.
	Rev int64
	// NoPut and NoDelete leave out such events.
	NoPut, NoDelete bool
	// Progress asks for a Batch without events each ProgressInterval without
	// events.
	Progress bool
}

// Watcher reads the changes of a range of keys in order. It holds a position in
// the engine's history and nothing else, so it costs the same however slow its
// reader is. Next is for one goroutine; the other methods are for any.
type Watcher struct {
	e    *Engine
	opts WatchOptions
	// For Watchers: who this is, and how much it was given.
	id, from int64
	began    time.Time
	events   atomic.Int64
	// signal has room for one: something happened since Next last looked.
	signal chan struct{}
	// pending is the first revision that was not looked at and may matter, 0
	// if there is none. Written with mu held for writing, or by Next, which is
	// one goroutine, with mu held for reading.
	pending int64
	// progress is set when a progress notification is due.
	progress atomic.Bool
	// busy is set by each batch with events and cleared by each tick of
	// ProgressInterval.
	busy atomic.Bool
}

// Batch is what a watcher sees at once: whole revisions, in order. Without
// events it is a progress notification: everything up to Revision was seen.
type Batch struct {
	Events   []Change
	Revision int64 // the engine's latest
}

// CompactedError says that a watcher's next revision is no longer held. It is an
// ErrCompacted.
type CompactedError struct {
	// CompactRevision is the lowest revision a new watch can start from.
	CompactRevision int64
	// Revision is the engine's latest.
	Revision int64
}

func (e *CompactedError) Error() string {
	return fmt.Sprintf("%v: a watch can start from %d on", ErrCompacted, e.CompactRevision)
}

// Unwrap returns ErrCompacted.
func (e *CompactedError) Unwrap() error { return ErrCompacted }

// Watch starts a watcher. rev is the latest revision at that moment. Close must
// be called when it is no longer used.
func (e *Engine) Watch(opts WatchOptions) (w *Watcher, rev int64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, 0, ErrClosed
	}
	e.watches++
	w = &Watcher{e: e, opts: opts, id: e.watches, from: cmp.Or(opts.Rev, e.rev+1), began: time.Now(), signal: make(chan struct{}, 1)}
	if opts.Rev > 0 && opts.Rev <= e.rev {
		w.pending = opts.Rev
	}
	e.watchers.add(w)
	return w, e.rev, nil
}

// Close ends the watcher. A second Close does nothing.
func (w *Watcher) Close() {
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	w.e.watchers.remove(w)
}

// RequestProgress asks for one progress notification, which comes after all
// events up to its revision. Requests that were not answered yet count as one.
func (w *Watcher) RequestProgress() {
	w.progress.Store(true)
	w.poke()
}

func (w *Watcher) span() span { return span{w.opts.Key, w.opts.End} }

func (w *Watcher) poke() {
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

// Next waits for something to tell. It fails with a *CompactedError if the
// history the watcher needs is gone, with ErrClosed if the engine is closed, and
// with ctx's error.
func (w *Watcher) Next(ctx context.Context) (Batch, error) {
	for {
		b, ready, err := w.collect()
		if ready || err != nil {
			return b, err
		}
		select {
		case <-w.signal:
		case <-ctx.Done():
			return Batch{}, ctx.Err()
		case <-w.e.done:
			return Batch{}, ErrClosed
		}
	}
}

// collect returns the next batch if there is one.
func (w *Watcher) collect() (b Batch, ready bool, err error) {
	e := w.e
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return b, false, ErrClosed
	}
	b.Revision = e.rev
	if w.pending != 0 {
		if w.pending < e.compact || w.pending <= e.lost {
			return b, false, &CompactedError{CompactRevision: max(e.compact, e.lost+1), Revision: e.rev}
		}
		if w.read(&b); len(b.Events) > 0 {
			w.busy.Store(true)
			w.events.Add(int64(len(b.Events)))
			return b, true, nil
		}
	}
	// A watch from a future revision has no progress to tell before that
	// (etcd: server/storage/mvcc/watchable_store.go, progressIfSync).
	if w.pending == 0 && e.rev >= w.opts.Rev && w.progress.Swap(false) {
		return b, true, nil
	}
	return b, false, nil
}

// read moves events from history to b and pending behind them. It reads on over
// revisions without events. Caller must hold mu for reading.
func (w *Watcher) read(b *Batch) {
	recs := w.e.history.since(w.pending)
	bytes := 0
	for i := range recs {
		if i >= batchRecords && len(b.Events) > 0 || len(b.Events) >= batchEvents || bytes >= batchBytes {
			w.pending = recs[i].Rev
			return
		}
		for _, c := range recs[i].Changes {
			if w.wants(&c) {
				b.Events = append(b.Events, c)
				bytes += c.bytes()
			}
		}
	}
	w.pending = 0
}

// bytes is the length of the values that c refers to.
func (c *Change) bytes() int {
	n := len(c.KV.Value)
	if c.Prev != nil {
		n += len(c.Prev.Value)
	}
	return n
}

func (w *Watcher) wants(c *Change) bool {
	if c.Delete && w.opts.NoDelete || !c.Delete && w.opts.NoPut {
		return false
	}
	return contains(w.opts.Key, w.opts.End, c.KV.Key)
}
