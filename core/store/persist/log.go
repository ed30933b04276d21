package persist

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// SyncPolicy says when what was written is on disk. Whatever it is, no acknowledged
// write is lost when the process ends, by SIGKILL for instance: it is in the kernel
// by then. The policy is about the machine losing power.
type SyncPolicy int

const (
	// SyncAlways has each revision on disk before it is acknowledged, or seen by
	// anybody: power loses nothing.
	SyncAlways SyncPolicy = iota
	// SyncInterval has it there at most Options.SyncEvery later: power loses what
	// came since, and the store is then as it was before that.
	SyncInterval
	// SyncNever leaves it to the kernel, but for each change of generation. After
	// a loss of power a store may have to be repaired.
	SyncNever
)

// Defaults of Options.
const (
	DefaultSyncEvery     = 100 * time.Millisecond
	DefaultSnapshotBytes = 16 << 20
)

// Options configure a Log. The zero value is usable, and the safest.
type Options struct {
	Sync SyncPolicy
	// SyncEvery is the interval of SyncInterval. 0 means DefaultSyncEvery.
	SyncEvery time.Duration
	// SnapshotBytes is how large a journal may get before a new generation
	// begins; at least twice the last snapshot it may always. 0 means
	// DefaultSnapshotBytes.
	SnapshotBytes int64
	// NeverBack has the store go on above the highest revision that it ever gave out, even if the
	// last of them are lost: what clients remember of those is then of the past, and they list
	// again (etcd: etcdutl snapshot restore --bump-revision --mark-compacted).
	NeverBack bool
	// readOnly is for looking: nothing is changed, nothing can be appended.
	readOnly bool
}

// Status describes a Log.
type Status struct {
	// Recovered is what was found when it was opened.
	Recovered Recovered
	// Generation and Bytes are those of the present journal.
	Generation, Bytes int64
	// Err is why nothing can be written any more, nil while it can. SnapshotErr
	// is why the last snapshot failed; the journal then grows on.
	Err, SnapshotErr error
}

// Log keeps a store's entries in a Sink. It implements mvcc.Journal.
type Log struct {
	sink Sink
	opts Options

	writing sync.WaitGroup // the goroutine that writes a snapshot

	mu        sync.Mutex // guards what follows, and calls of sink
	closed    bool
	recovered Recovered
	gen       int64
	file      File  // journal-gen
	end       int64 // of file; what may lie behind was never acknowledged
	synced    int64 // of end: on disk
	marked    int64 // what the last mark says of synced
	rev       int64 // latest
	reserved  int64 // on disk: revisions up to here may be given out
	entries   int64 // in file
	threshold int64 // of end, from which on a new generation is due
	snapping  bool
	buf       []byte
	timer     *time.Timer // of SyncInterval, set while something is not on disk
	err       error
	snapErr   error
}

var _ mvcc.Journal = (*Log)(nil)

// Open returns the log in sink, which the log closes. Nothing is read before
// Recover is called, which mvcc.Open does.
func Open(sink Sink, opts Options) *Log {
	if opts.SyncEvery == 0 {
		opts.SyncEvery = DefaultSyncEvery
	}
	if opts.SnapshotBytes == 0 {
		opts.SnapshotBytes = DefaultSnapshotBytes
	}
	return &Log{sink: sink, opts: opts, threshold: opts.SnapshotBytes}
}

// errClosed is returned once the log was closed.
var errClosed = errors.New("persist: the log is closed")

// Status returns what there is to say about the log.
func (l *Log) Status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Status{Recovered: l.recovered, Generation: l.gen, Bytes: l.end, Err: l.err, SnapshotErr: l.snapErr}
}

// Append implements mvcc.Journal. When it fails the entry is not kept.
func (l *Log) Append(e mvcc.Entry) (full bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return false, err
	}
	if e.Kind == mvcc.EntryRevision {
		if err := l.reserve(e.Record.Rev); err != nil {
			return false, err
		}
	}
	l.buf = l.buf[:0]
	if l.opts.Sync != SyncNever && l.synced > l.marked {
		l.buf = mark(l.buf, l.synced)
	}
	start := len(l.buf)
	l.buf = endFrame(appendEntry(beginFrame(l.buf), &e), start)
	if err := l.write(l.buf); err != nil {
		return false, err
	}
	l.marked = l.synced
	if cap(l.buf) > 1<<20 {
		l.buf = nil // one big record must not hold its size for ever
	}
	l.entries++
	if e.Kind == mvcc.EntryRevision {
		l.rev = e.Record.Rev
	}
	return l.end >= l.threshold && !l.snapping, nil
}

func (l *Log) writable() error {
	switch {
	case l.err != nil:
		return l.err
	case l.closed || l.file == nil:
		return errClosed
	}
	return nil
}

// write appends b to the journal, all or nothing. Caller must hold mu.
func (l *Log) write(b []byte) error {
	if _, err := l.file.WriteAt(b, l.end); err != nil {
		err = fmt.Errorf("write to %s: %w", journalName(l.gen), err)
		// A part may be there. Without it the disk may have room again later.
		if cut := l.file.Truncate(l.end); cut != nil {
			l.err = errors.Join(err, fmt.Errorf("take it back: %w", cut))
		}
		return err
	}
	l.end += int64(len(b))
	if l.opts.Sync == SyncInterval && l.timer == nil {
		l.timer = time.AfterFunc(l.opts.SyncEvery, l.syncLater)
	}
	return nil
}

// Flush implements mvcc.Journal. When it fails nobody can know what is kept, and
// every later call fails as well.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil || l.opts.Sync != SyncAlways {
		return err
	}
	return l.sync()
}

// sync puts on disk what was written. After a failure nobody knows what is there,
// and asking again may succeed without being true; so it is the end. Caller must
// hold mu.
func (l *Log) sync() error {
	if err := l.file.Sync(); err != nil {
		l.err = fmt.Errorf("%s could not be put on disk, and nothing is written from now on: %w", journalName(l.gen), err)
		return l.err
	}
	l.synced = l.end
	return nil
}

func (l *Log) syncLater() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	if !l.closed && l.err == nil {
		_ = l.sync() // told by the next Append
	}
}

// Close implements mvcc.Journal. A second Close does nothing.
func (l *Log) Close() error {
	l.writing.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	var err error
	if l.file != nil {
		if l.err == nil && !l.opts.readOnly {
			if err = l.sync(); err == nil {
				err = l.unreserve()
			}
		}
		err = errors.Join(err, l.file.Close())
	}
	return errors.Join(err, l.sink.Close())
}
