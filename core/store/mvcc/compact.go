package mvcc

// Compact forgets the history below rev: reads below it fail with ErrCompacted
// from then on, and so do watches whose next event lies below it. It fails with
// ErrCompacted if rev was compacted already and with ErrFutureRev if it does not
// exist yet (etcd: server/storage/mvcc/kvstore.go, updateCompactRev). Where trim
// got there first, it succeeds: what the caller asks for is so, and a compactor
// that works by the clock has made no mistake.
func (e *Engine) Compact(rev int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return ErrClosed
	case rev <= e.asked:
		return ErrCompacted
	case rev > e.rev:
		return ErrFutureRev
	}
	e.asked = rev
	if rev > e.compact {
		e.compactTo(rev)
	}
	return nil
}

// compactTo drops the records below rev. The one at rev stays, since a watch may
// start there, but not what it replaced: that belongs to the revision before, so
// its events have no previous version, as etcd's have not. Caller must hold mu
// for writing.
func (e *Engine) compactTo(rev int64) {
	for e.history.len() > 0 && e.history.first() < rev {
		e.history.dropFirst()
	}
	e.history.forgetPrev(rev)
	e.compact = rev
	e.watchers.wakeBehind(rev)
}

// trim keeps history within its bounds. It drops a sixteenth more than it must,
// so that it has nothing to do most of the time. At least the latest record
// stays. Caller must hold mu for writing.
func (e *Engine) trim() {
	h, records, bytes := &e.history, e.opts.HistoryRecords, e.opts.HistoryBytes
	if h.len() <= records && h.bytes <= bytes {
		return
	}
	records -= records / 16
	bytes -= bytes / 16
	for h.len() > 1 && (h.len() > records || h.bytes > bytes) {
		h.dropFirst()
	}
	e.compactTo(h.first())
}
