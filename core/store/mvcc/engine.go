package mvcc

import (
	"fmt"
	"sync"
	"time"

	"github.com/tidwall/buntdb"
)

// Defaults of Options.
const (
	DefaultHistoryRecords   = 20_000
	DefaultHistoryBytes     = 32 << 20
	DefaultProgressInterval = time.Minute
)

// Options configure an Engine. The zero value is usable.
type Options struct {
	// HistoryRecords bounds the revisions held for reads and watches in the
	// past. When it is exceeded the oldest are compacted. 0 means
	// DefaultHistoryRecords.
	HistoryRecords int
	// HistoryBytes bounds the memory that is held by history alone: replaced
	// and deleted values, and bookkeeping. 0 means DefaultHistoryBytes.
	HistoryBytes int64
	// ProgressInterval is how often a watcher that asked for progress
	// notifications gets one while it has no events (etcd's
	// --watch-progress-notify-interval). 0 means DefaultProgressInterval, a
	// negative one none.
	ProgressInterval time.Duration
	// Journal keeps the data beyond the engine's life. nil keeps nothing. The
	// engine closes it.
	Journal Journal
	// Initial is what an engine without a journal, or with an empty one, begins
	// with. nil is an empty store.
	Initial *State
}

func (o *Options) complete() {
	if o.HistoryRecords == 0 {
		o.HistoryRecords = DefaultHistoryRecords
	}
	if o.HistoryBytes == 0 {
		o.HistoryBytes = DefaultHistoryBytes
	}
	if o.ProgressInterval == 0 {
		o.ProgressInterval = DefaultProgressInterval
	}
}

// Engine is one key-value store. It is safe for concurrent use.
type Engine struct {
	opts Options
	done chan struct{} // closed by Close
	// queue has the writes that wait for mu.
	queue writeQueue

	// mu guards everything below. Update holds it for writing; reads and
	// watchers that collect events hold it for reading.
	mu       sync.RWMutex
	closed   bool
	db       *buntdb.DB
	rev      int64 // latest revision; an empty store is at 1, as etcd's is
	compact  int64 // lowest revision that can be read, 0 while nothing was compacted
	asked    int64 // highest revision Compact was called with
	size     int64 // bytes of the latest keys and values
	keys     int64 // number of keys
	history  history
	watchers watcherSet
	watches  int64 // how many were ever begun
	leases   leaseSet
	// lost is the last revision whose record was not kept over a restart.
	lost int64
	// journalFull is set while the journal waits for a snapshot, snapshotErr by
	// the last one.
	journalFull bool
	snapshotErr error
}

// Open returns an engine with what the journal kept. Watches and reads of what was
// before that fail with ErrCompacted.
func Open(opts Options) (*Engine, error) {
	opts.complete()
	db, err := buntdb.Open(":memory:")
	if err != nil {
		return nil, fmt.Errorf("open buntdb: %w", err)
	}
	e := &Engine{opts: opts, done: make(chan struct{}), db: db, rev: 1}
	e.leases.init()
	e.watchers.init()
	if err := e.load(); err != nil {
		_ = db.Close()
		return nil, err
	}
	if opts.ProgressInterval > 0 {
		go e.notifyProgress(opts.ProgressInterval)
	}
	return e, nil
}

// load fills an empty engine.
func (e *Engine) load() error {
	if e.opts.Journal != nil {
		if err := e.recover(); err != nil {
			e.leases.stop()
			return err
		}
	}
	if e.opts.Initial == nil || e.rev > 1 || len(e.leases.byID) > 0 {
		return nil
	}
	err := e.restore(*e.opts.Initial)
	if err == nil && e.opts.Journal != nil {
		err = e.opts.Journal.Snapshot(*e.opts.Initial)
	}
	if err != nil {
		e.leases.stop()
		return fmt.Errorf("begin with a given state: %w", err)
	}
	e.forgetPast()
	return nil
}

// Close ends all watches and releases the data. A second Close does nothing.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	close(e.done)
	e.leases.stop()
	e.history = history{}
	if err := e.db.Close(); err != nil {
		return fmt.Errorf("close buntdb: %w", err)
	}
	if e.opts.Journal != nil {
		if err := e.opts.Journal.Close(); err != nil {
			return fmt.Errorf("close the journal: %w", err)
		}
	}
	return nil
}

// Done is closed when the engine is.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Status describes the engine at one moment.
type Status struct {
	Revision        int64 // latest
	CompactRevision int64 // lowest readable, 0 while nothing was compacted
	Keys            int64
	Bytes           int64 // latest keys and values, with their headers
	HistoryRecords  int64
	HistoryBytes    int64
	Watchers        int
	Leases          int
}

// Status returns the engine's counters.
func (e *Engine) Status() Status {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return Status{
		Revision:        e.rev,
		CompactRevision: e.compact,
		Keys:            e.keys,
		Bytes:           e.size,
		HistoryRecords:  int64(e.history.len()),
		HistoryBytes:    e.history.bytes,
		Watchers:        e.watchers.count,
		Leases:          len(e.leases.byID),
	}
}

// Revision returns the latest revision.
func (e *Engine) Revision() int64 {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.rev
}
