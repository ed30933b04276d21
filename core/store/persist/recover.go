package persist

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// Recovered is what was found when a Log was opened.
type Recovered struct {
	// Revision is the latest; 1 of a new store.
	Revision int64
	// Snapshot is the generation of the snapshot it began with, 0 for none.
	Snapshot int64
	// CutBytes is the length of the torn end that was cut off.
	CutBytes int64
	// Skipped is how many revisions before Revision were not given out again, because they may
	// have been before; 0 unless Options.NeverBack is set.
	Skipped int64
	// Incomplete is how many snapshots were never completed.
	Incomplete int
}

func journalName(gen int64) string  { return fmt.Sprintf("journal-%08d", gen) }
func snapshotName(gen int64) string { return fmt.Sprintf("snapshot-%08d", gen) }

// inventory is the generations of which there is a file, in order.
type inventory struct{ journals, snapshots []int64 }

// list returns what files there are. Others than the log's own are left alone.
func list(s Sink) (inv inventory, err error) {
	names, err := s.Files()
	if err != nil {
		return inv, fmt.Errorf("list the store's files: %w", err)
	}
	for _, name := range names {
		_, number, _ := strings.Cut(name, "-")
		gen, err := strconv.ParseInt(number, 10, 64)
		switch {
		case err != nil || gen < 0:
		case name == journalName(gen):
			inv.journals = append(inv.journals, gen)
		case name == snapshotName(gen):
			inv.snapshots = append(inv.snapshots, gen)
		}
	}
	slices.Sort(inv.journals)
	slices.Sort(inv.snapshots)
	return inv, nil
}

// Recover implements mvcc.Journal. Before it returns, the log's end is where the
// next entry goes.
func (l *Log) Recover(state func(mvcc.State) error, entry func(mvcc.Entry) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	inv, err := list(l.sink)
	if err != nil {
		return err
	}
	l.rev = 1
	if len(inv.journals)+len(inv.snapshots) > 0 {
		if err := l.readSnapshot(inv, state); err != nil {
			return err
		}
		if err := l.readJournals(inv, entry); err != nil {
			return err
		}
	}
	l.recovered.Revision = l.rev
	if l.opts.readOnly {
		return nil
	}
	if err := l.begin(); err != nil {
		return err
	}
	if err := l.goOnAbove(len(inv.journals)+len(inv.snapshots) == 0, entry); err != nil {
		return err
	}
	l.recovered.Revision = l.rev
	l.tidy(inv)
	return nil
}

// readSnapshot finds the newest complete snapshot, and sets gen.
func (l *Log) readSnapshot(inv inventory, state func(mvcc.State) error) error {
	for _, gen := range slices.Backward(inv.snapshots) {
		s, err := l.loadSnapshot(gen)
		if errors.Is(err, errTorn) {
			l.recovered.Incomplete++
			continue
		}
		if err != nil {
			return err
		}
		if err := state(s); err != nil {
			return &DamageError{snapshotName(gen), 0, err}
		}
		l.gen, l.rev, l.recovered.Snapshot = gen, s.Rev, gen
		return nil
	}
	if !slices.Contains(inv.journals, 0) {
		return &DamageError{journalName(0), 0, errors.New("it is missing, and no complete snapshot replaces it")}
	}
	return nil
}

// readJournals reads from journal gen on, and sets gen, entries and end.
func (l *Log) readJournals(inv inventory, entry func(mvcc.Entry) error) error {
	if l.gen == 1 && slices.Equal(inv.journals, []int64{0}) {
		// A store that was to begin with a given state, which is there.
		return nil
	}
	if !slices.Contains(inv.journals, l.gen) {
		return &DamageError{journalName(l.gen), 0, errors.New("it is missing")}
	}
	for {
		last := !slices.Contains(inv.journals, l.gen+1)
		if err := l.readJournal(last, entry); err != nil {
			return err
		}
		if last {
			break
		}
		l.gen++
	}
	if newest := inv.journals[len(inv.journals)-1]; newest > l.gen {
		return &DamageError{journalName(l.gen + 1), 0, fmt.Errorf("it is missing, but %s is there", journalName(newest))}
	}
	return nil
}

// readJournal reads journal gen to its end, a torn one if it is the last.
func (l *Log) readJournal(last bool, entry func(mvcc.Entry) error) error {
	name := journalName(l.gen)
	f, size, err := l.openForReading(name)
	if err != nil {
		return err
	}
	defer f.Close()
	l.end, l.entries = 0, 0
	r, err := newFrameReader(f, size)
	for first := true; err == nil; first = false {
		l.end = r.offset
		var content []byte
		if content, err = r.next(); err != nil {
			break
		}
		if first {
			err = l.checkHead(string(content))
		} else {
			err = l.deliver(string(content), entry)
		}
		if err != nil {
			return &DamageError{name, l.end, err}
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, errTorn) && last:
		l.recovered.CutBytes = size - l.end
		return nil
	case errors.Is(err, errTorn), errors.Is(err, errDamaged):
		return &DamageError{name, l.end, err}
	}
	return fmt.Errorf("read %s at byte %d: %w", name, l.end, err)
}

func (l *Log) checkHead(content string) error {
	p := parser{rest: content}
	if p.byte() != kindJournal {
		p.fail("a journal does not begin with its head")
	}
	base := p.number()
	if err := p.done(); err != nil {
		return err
	}
	if base != l.rev {
		return fmt.Errorf("it goes on from revision %d, what was before ends at %d", base, l.rev)
	}
	return nil
}

func (l *Log) deliver(content string, entry func(mvcc.Entry) error) error {
	e, err := parseEntry(content)
	if err != nil {
		return err
	}
	if err := entry(e); err != nil {
		return err
	}
	if e.Kind == mvcc.EntryRevision || e.Kind == mvcc.EntryBump {
		l.rev = e.Record.Rev
	}
	l.entries++
	return nil
}

func (l *Log) openForReading(name string) (File, int64, error) {
	f, err := l.sink.Open(name)
	if err != nil {
		return nil, 0, fmt.Errorf("open %s: %w", name, err)
	}
	size, err := f.Size()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("size of %s: %w", name, err), f.Close())
	}
	return f, size, nil
}

// begin opens the present journal for writing: a torn end is cut off, a new file
// gets its head. Caller must hold mu.
func (l *Log) begin() error {
	f, size, err := l.openForReading(journalName(l.gen))
	if err != nil {
		return err
	}
	l.file = f
	if size > l.end {
		if err := f.Truncate(l.end); err != nil {
			return fmt.Errorf("cut the torn end off %s: %w", journalName(l.gen), err)
		}
	}
	if l.end <= int64(len(magic)) { // then it has no head
		l.end = 0
		if err := l.write(l.head()); err != nil {
			return err
		}
	}
	if err := l.sync(); err != nil {
		return err
	}
	if err := l.sink.Sync(); err != nil {
		return fmt.Errorf("put the directory of the store's files on disk: %w", err)
	}
	return nil
}

// head is how a journal begins after the latest revision.
func (l *Log) head() []byte { return headAfter(l.rev) }

func headAfter(rev int64) []byte {
	b := append(beginFrame([]byte(magic)), kindJournal)
	return endFrame(appendUvarint(b, rev), len(magic))
}

// tidy removes what is no longer needed: incomplete snapshots, and generations
// before the last but one. What fails is tried again next time.
func (l *Log) tidy(inv inventory) {
	keep := l.recovered.Snapshot
	for _, gen := range inv.snapshots {
		if gen > keep || gen < keep-1 {
			_ = l.sink.Remove(snapshotName(gen))
		}
	}
	for _, gen := range inv.journals {
		if gen < keep-1 {
			_ = l.sink.Remove(journalName(gen))
		}
	}
}
