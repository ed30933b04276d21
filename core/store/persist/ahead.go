package persist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// maxAhead is how much of a journal a log reads that it has not written, in bytes: reading it, and whoever is told
// of it, must take less time than opening the store anew.
const maxAhead = 4 << 20

// Ahead is what a journal has behind the end that its log knows: the log is of a program that goes on from an image
// of its memory, and the program that the image is of went on as well.
type Ahead struct {
	Entries []mvcc.Entry
	end     int64 // of the journal
}

// RevisionsFile is the name of the file that says which revisions may have been given out.
const RevisionsFile = revisionsName

// ErrNotAhead says that a log cannot go on from where its journal is.
var ErrNotAhead = errors.New("the store's journal has gone another way")

// Ahead reads it, and changes nothing. It fails with ErrNotAhead if the journal ends before what the log has
// written, has too much behind it, or was opened anew since.
func (l *Log) Ahead() (a Ahead, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return a, err
	}
	name := journalName(l.gen)
	size, err := l.file.Size()
	switch {
	case err != nil:
		return a, fmt.Errorf("size of %s: %w", name, err)
	case l.snapping:
		return a, fmt.Errorf("%w: a snapshot was being written", ErrNotAhead)
	case size < l.end:
		return a, fmt.Errorf("%w: it ends %d bytes before what was written", ErrNotAhead, l.end-size)
	case size-l.end > maxAhead:
		return a, fmt.Errorf("%w: too much was written since, %d bytes", ErrNotAhead, size-l.end)
	}
	r := &frameReader{
		file: l.file, size: size, offset: l.end, frames: 2, marks: true,
		buf: bufio.NewReader(io.NewSectionReader(l.file, l.end, size-l.end)),
	}
	for {
		content, err := r.next()
		if errors.Is(err, io.EOF) {
			a.end = size
			return a, nil
		}
		if err != nil {
			return a, fmt.Errorf("%w: %s at byte %d: %w", ErrNotAhead, name, r.offset, err)
		}
		e, err := parseEntry(string(content))
		if err != nil {
			return a, fmt.Errorf("%w: %s at byte %d: %w", ErrNotAhead, name, r.offset, err)
		}
		a.Entries = append(a.Entries, e)
	}
}

// GoOn has the log go on behind what is ahead, which the caller has taken over, and above every revision that may
// have been given out: what was written last may be lost with the machine's power. revisions is the content of
// RevisionsFile, which cannot be opened without waiting. It returns the latest revision.
func (l *Log) GoOn(a Ahead, revisions []byte) (rev int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.writable(); err != nil {
		return 0, err
	}
	reserved, _, sure, err := reservedOf(bytes.NewReader(revisions), int64(len(revisions)))
	if err != nil || !sure || reserved < l.reserved {
		return 0, fmt.Errorf("%w: nobody knows which revisions were given out", ErrNotAhead)
	}
	l.reserved = reserved
	l.end = a.end
	for _, e := range a.Entries {
		if e.Kind == mvcc.EntryRevision || e.Kind == mvcc.EntryBump {
			l.rev = e.Record.Rev
		}
	}
	l.entries += int64(len(a.Entries))
	if l.opts.NeverBack && l.reserved > l.rev {
		e := mvcc.Entry{Kind: mvcc.EntryBump, Record: mvcc.Record{Rev: l.reserved}}
		if err := l.write(endFrame(appendEntry(beginFrame(nil), &e), 0)); err != nil {
			return 0, fmt.Errorf("go on from revision %d: %w", l.reserved, err)
		}
		l.rev = l.reserved
		l.entries++
	}
	return l.rev, l.sync()
}
