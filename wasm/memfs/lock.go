package memfs

import (
	"sync"
	"syscall"
)

// Operations of Flock, Linux' values.
const (
	LOCK_SH = 1
	LOCK_EX = 2
	LOCK_NB = 4
	LOCK_UN = 8
)

// lock is the advisory lock of a file: held by open files, as flock(2) has it.
type lock struct {
	mu      sync.Mutex
	holders map[*openFile]int // LOCK_SH or LOCK_EX
	changed chan struct{}     // closed at the next release; nil if nobody waits
}

// Flock locks or unlocks an open file. Without LOCK_NB it waits.
func (f *FS) Flock(fd, how int) error {
	f.mu.Lock()
	o, err := f.opened(fd)
	f.mu.Unlock()
	if err != nil {
		return err
	}
	l := &o.node.lock
	switch how &^ LOCK_NB {
	case LOCK_UN:
		l.release(o)
		return nil
	case LOCK_SH, LOCK_EX:
	default:
		return syscall.EINVAL
	}
	for {
		wait := l.try(o, how&^LOCK_NB)
		if wait == nil {
			return nil
		}
		if how&LOCK_NB != 0 {
			return syscall.EWOULDBLOCK
		}
		<-wait
	}
}

// try takes the lock for o, or returns what to wait for.
func (l *lock) try(o *openFile, kind int) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, held := range l.holders {
		if other != o && (kind == LOCK_EX || held == LOCK_EX) {
			if l.changed == nil {
				l.changed = make(chan struct{})
			}
			return l.changed
		}
	}
	if l.holders == nil {
		l.holders = map[*openFile]int{}
	}
	l.holders[o] = kind
	return nil
}

// release gives up what o holds.
func (l *lock) release(o *openFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.holders, o)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}
