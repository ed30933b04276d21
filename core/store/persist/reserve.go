package persist

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// revisionsName is a file of frames, the last of which says up to which revision the store may have given
// them out. It grows by one frame for reserveStep revisions and one for each opening.
const revisionsName = "revisions"

const (
	// reserveStep is how many revisions are reserved at a time: each time costs a flush.
	reserveStep = 10_000
	// lostStep is added where nobody knows how many revisions were given out that are gone; etcd's
	// advice for --bump-revision is a number "large enough", too.
	lostStep = 1 << 20
)

// reserve has it on disk that revisions up to rev, and some more, are given out, before the first of them
// is. Caller must hold mu.
func (l *Log) reserve(rev int64) error {
	if !l.opts.NeverBack || l.opts.Sync == SyncAlways || rev <= l.reserved {
		return nil
	}
	upTo := rev + reserveStep - rev%reserveStep
	if err := appendReserved(l.sink, upTo); err != nil {
		return fmt.Errorf("reserve revisions up to %d: %w", upTo, err)
	}
	l.reserved = upTo
	return nil
}

// unreserve says that no more than the latest revision was given out: the log is closed in good order.
// Caller must hold mu.
func (l *Log) unreserve() error {
	if l.reserved == 0 || l.reserved == l.rev {
		return nil
	}
	return appendReserved(l.sink, l.rev)
}

// appendReserved appends a frame, behind the last that is whole, and flushes it.
func appendReserved(s Sink, rev int64) error {
	f, err := s.Open(revisionsName)
	if err != nil {
		return err
	}
	size, err := f.Size()
	if err == nil && size < int64(len(magic)) {
		size = 0
	}
	var b []byte
	if err == nil && size == 0 {
		b = append(b, magic...)
	}
	start := len(b)
	b = endFrame(appendUvarint(append(beginFrame(b), kindReserved), rev), start)
	if err == nil {
		_, err = f.WriteAt(b, size)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(size))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.Sync()
	}
	return err
}

// reservedIn is up to which revision a store may have given them out; found is false if there is no file,
// sure is false if it cannot be read to its end.
func reservedIn(s Sink) (rev int64, found, sure bool, err error) {
	names, err := s.Files()
	if err != nil || !slices.Contains(names, revisionsName) {
		return 0, false, false, err
	}
	f, err := s.Open(revisionsName)
	if err != nil {
		return 0, false, false, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return 0, false, false, err
	}
	return reservedOf(f, size)
}

// reservedOf is reservedIn of the file's content.
func reservedOf(f io.ReaderAt, size int64) (rev int64, found, sure bool, err error) {
	r, err := newFrameReader(f, size)
	for err == nil {
		var content []byte
		if content, err = r.next(); err != nil {
			break
		}
		p := parser{rest: string(content)}
		if p.byte() != kindReserved {
			p.fail("it is no reservation")
		}
		said := p.number()
		if err = p.done(); err == nil {
			rev = said
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return rev, true, true, nil
	case errors.Is(err, errTorn), errors.Is(err, errDamaged), errors.Is(err, errContent), errors.Is(err, ErrNewer):
		// What is torn was not on disk, so that nothing was given out by it. That cannot be told
		// from what was torn later on. Of a later format it is alone: journals and snapshots were read before.
		return rev, true, false, nil
	}
	return 0, false, false, fmt.Errorf("read %s: %w", revisionsName, err)
}

// goOnAbove has the store go on above every revision that it may have given out before. entry is
// Recover's. Caller must hold mu.
func (l *Log) goOnAbove(isNew bool, entry func(mvcc.Entry) error) error {
	if !l.opts.NeverBack {
		return nil
	}
	had, found, sure, err := reservedIn(l.sink)
	if err != nil {
		return err
	}
	to := had
	switch {
	case isNew:
		to = 0
	case !found && l.opts.Sync != SyncAlways, found && !sure:
		to = max(had, l.rev) + lostStep
	}
	if found && !sure {
		if err := l.sink.Remove(revisionsName); err != nil {
			return fmt.Errorf("remove %s, which is damaged: %w", revisionsName, err)
		}
		if err := appendReserved(l.sink, max(to, l.rev)); err != nil {
			return fmt.Errorf("reserve revisions: %w", err)
		}
	}
	l.reserved = max(to, had)
	if to <= l.rev {
		return nil
	}
	e := mvcc.Entry{Kind: mvcc.EntryBump, Record: mvcc.Record{Rev: to}}
	if err := entry(e); err != nil {
		return err
	}
	if err := l.write(endFrame(appendEntry(beginFrame(nil), &e), 0)); err != nil {
		return fmt.Errorf("go on from revision %d: %w", to, err)
	}
	l.recovered.Skipped = to - l.rev
	l.entries++
	l.rev = to
	return l.sync()
}
