package persist

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// chunkBytes is about how much content a frame of a snapshot has.
const chunkBytes = 64 << 10

func appendUvarint(b []byte, n int64) []byte { return binary.AppendUvarint(b, uint64(n)) }

// Snapshot implements mvcc.Journal: a new generation begins at once, its snapshot
// is written by and by.
func (l *Log) Snapshot(s mvcc.State) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return err
	}
	if l.snapping {
		return nil
	}
	if l.gen == 0 && l.entries == 0 && l.rev == 1 {
		return l.beginWith(s)
	}
	return l.rotate(s)
}

// beginWith makes s what the store begins with. It is there before the journal
// that follows it, since no older generation leads to it. Caller must hold mu.
func (l *Log) beginWith(s mvcc.State) error {
	size, err := l.writeSnapshot(1, s)
	if err != nil {
		return err
	}
	l.setThreshold(size)
	if err := l.sink.Sync(); err != nil {
		return err
	}
	l.rev = s.Rev
	return l.nextJournal()
}

// rotate begins the next generation. Caller must hold mu.
func (l *Log) rotate(s mvcc.State) error {
	// The last of the old journal is on disk before the new one is: only the
	// last journal may have a torn end.
	if err := l.sync(); err != nil {
		return err
	}
	if err := l.nextJournal(); err != nil {
		return err
	}
	l.snapping = true
	gen := l.gen
	l.writing.Go(func() {
		size, err := l.writeSnapshot(gen, s)
		l.mu.Lock()
		defer l.mu.Unlock()
		if err == nil {
			err = l.sink.Sync()
		}
		l.snapping, l.snapErr = false, err
		if err == nil {
			l.setThreshold(size)
			l.forget(gen)
		}
	})
	return nil
}

// nextJournal makes the next generation's journal the present one, with the old one
// closed. When it fails, the old one stays. Caller must hold mu.
func (l *Log) nextJournal() error {
	f, err := l.sink.Open(journalName(l.gen + 1))
	if err != nil {
		return fmt.Errorf("begin %s: %w", journalName(l.gen+1), err)
	}
	head := l.head()
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt(head, 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = l.sink.Sync()
	}
	if err != nil {
		// An empty file would be a journal that follows the present one.
		err = errors.Join(fmt.Errorf("begin %s: %w", journalName(l.gen+1), err), f.Close())
		if gone := l.sink.Remove(journalName(l.gen + 1)); gone != nil {
			l.err = errors.Join(err, gone)
		}
		return err
	}
	_ = l.file.Close() // it is on disk
	l.file, l.end, l.entries = f, int64(len(head)), 0
	l.synced, l.marked = l.end, 0
	l.gen++
	return nil
}

// forget removes the generations before the last but one. Caller must hold mu.
func (l *Log) forget(gen int64) {
	inv, err := list(l.sink)
	if err != nil {
		return
	}
	inv.snapshots = below(inv.snapshots, gen-1)
	inv.journals = below(inv.journals, gen-1)
	for _, g := range inv.snapshots {
		_ = l.sink.Remove(snapshotName(g))
	}
	for _, g := range inv.journals {
		_ = l.sink.Remove(journalName(g))
	}
}

func below(gens []int64, limit int64) []int64 {
	for i, g := range gens {
		if g >= limit {
			return gens[:i]
		}
	}
	return gens
}

// writeSnapshot writes the file of a snapshot and puts it on disk. It does not need
// mu, and leaves others a turn after each chunk.
func (l *Log) writeSnapshot(gen int64, s mvcc.State) (size int64, err error) {
	f, err := l.sink.Open(snapshotName(gen))
	if err != nil {
		return 0, fmt.Errorf("begin %s: %w", snapshotName(gen), err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = fmt.Errorf("write %s: %w", snapshotName(gen), err)
		}
	}()
	if err := f.Truncate(0); err != nil {
		return 0, err
	}
	w := snapshotWriter{file: f, buf: []byte(magic)}
	w.frame(kindSnapshot, func(b []byte) []byte { return appendUvarint(b, s.Rev) })
	for _, g := range s.Leases {
		w.frame(kindLeases, func(b []byte) []byte { return appendLease(b, g) })
	}
	for i := 0; i < len(s.KVs); {
		w.frame(kindKVs, func(b []byte) []byte {
			for from := len(b); i < len(s.KVs) && len(b)-from < chunkBytes; i++ {
				b = appendKV(b, &s.KVs[i], true)
			}
			return b
		})
	}
	w.frame(kindEnd, func(b []byte) []byte {
		return appendUvarint(appendUvarint(b, int64(len(s.KVs))), int64(len(s.Leases)))
	})
	w.flush()
	if w.err != nil {
		return 0, w.err
	}
	return w.at, f.Sync()
}

// setThreshold lets a journal grow to twice a snapshot, so that at most half of
// what is written is snapshots. Caller must hold mu.
func (l *Log) setThreshold(snapshot int64) {
	l.threshold = max(l.opts.SnapshotBytes, 2*snapshot)
}

type snapshotWriter struct {
	file File
	buf  []byte
	at   int64
	err  error
}

func (w *snapshotWriter) frame(kind byte, content func([]byte) []byte) {
	start := len(w.buf)
	w.buf = endFrame(content(append(beginFrame(w.buf), kind)), start)
	if len(w.buf) >= chunkBytes {
		w.flush()
	}
}

func (w *snapshotWriter) flush() {
	if w.err == nil {
		_, w.err = w.file.WriteAt(w.buf, w.at)
	}
	w.at += int64(len(w.buf))
	w.buf = w.buf[:0]
	runtime.Gosched()
}

// loadSnapshot reads a snapshot. It fails with errTorn if it was never completed.
func (l *Log) loadSnapshot(gen int64) (s mvcc.State, err error) {
	name := snapshotName(gen)
	f, size, err := l.openForReading(name)
	if err != nil {
		return s, err
	}
	defer f.Close()
	r, err := newFrameReader(f, size)
	for complete := false; err == nil; {
		at := r.offset
		var content []byte
		content, err = r.next()
		switch {
		case errors.Is(err, io.EOF) && complete:
			return s, nil
		case errors.Is(err, io.EOF):
			return s, errTorn
		case err != nil:
		case complete:
			return s, &DamageError{name, at, errors.New("more follows its end")}
		default:
			if complete, err = parseSnapshot(string(content), &s); err != nil {
				return s, &DamageError{name, at, err}
			}
		}
	}
	switch {
	case errors.Is(err, errDamaged):
		return s, &DamageError{name, r.offset, err}
	case errors.Is(err, errTorn):
		return s, errTorn
	}
	return s, fmt.Errorf("read %s at byte %d: %w", name, r.offset, err)
}

// parseSnapshot adds a frame's content to s, and tells whether it was the last.
func parseSnapshot(content string, s *mvcc.State) (complete bool, err error) {
	p := parser{rest: content}
	kind := p.byte()
	if (kind == kindSnapshot) != (s.Rev == 0) {
		p.fail("a snapshot has one head, at its beginning")
	}
	switch kind {
	case kindSnapshot:
		if s.Rev = p.number(); s.Rev == 0 {
			p.fail("a snapshot without a revision")
		}
	case kindLeases:
		s.Leases = append(s.Leases, p.lease())
	case kindKVs:
		for p.err == nil && p.rest != "" {
			s.KVs = append(s.KVs, p.kv(0))
		}
	case kindEnd:
		complete = true
		if p.number() != int64(len(s.KVs)) || p.number() != int64(len(s.Leases)) {
			p.fail("keys or leases are missing")
		}
	default:
		p.fail(fmt.Sprintf("it is of unknown kind %d", kind))
	}
	return complete, p.done()
}
