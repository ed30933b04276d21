package logind

import (
	"context"
	"errors"
	"sync"
	"time"
)

// defaultDelay is InhibitDelayMaxSec where nobody has set it (logind.conf(5)).
const defaultDelay = 5 * time.Second

var (
	// ErrShuttingDown is returned to who asks for a second shutdown, or to hold up one that has begun.
	ErrShuttingDown = errors.New("the node is shutting down already")
	// ErrCalledOff is returned if the node was booted while it shut down.
	ErrCalledOff = errors.New("the shutdown was called off")
)

// Manager is the logind of one node. Its methods may be called from any goroutine.
type Manager struct {
	mu       sync.Mutex
	delayMax time.Duration
	next     uint32
	locks    map[uint32]bool
	down     bool          // from PowerOff until Boot
	released chan struct{} // closed when no lock is held; nil while nobody waits
	told     []chan bool
	off      bool          // its power may be cut, and it has not been booted since
	starts   bool          // it was booted, and nobody holds a lock since
	booted   chan struct{} // of one
}

// New is one that nobody has asked for anything.
func New() *Manager {
	return &Manager{delayMax: defaultDelay, locks: map[uint32]bool{}, booted: make(chan struct{}, 1)}
}

// Booted delivers when the machine was off and is on again, and who holds a shutdown up does so again: on a machine a
// program that has just started. A shutdown that was called off is none.
func (m *Manager) Booted() <-chan struct{} { return m.booted }

// InhibitDelayMax is how long a shutdown is held up at the most.
func (m *Manager) InhibitDelayMax() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.delayMax
}

// SetInhibitDelayMax is InhibitDelayMaxSec of logind.conf.
func (m *Manager) SetInhibitDelayMax(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.delayMax = d
}

// Inhibit takes a lock that holds up a shutdown. As on a machine there is none to be had once it has begun.
func (m *Manager) Inhibit() (lock uint32, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return 0, ErrShuttingDown
	}
	m.next++
	m.locks[m.next] = true
	if m.starts {
		m.starts = false
		select {
		case m.booted <- struct{}{}:
		default: // nobody has taken the last one
		}
	}
	return m.next, nil
}

// Release gives a lock back; one that is not held is no matter.
func (m *Manager) Release(lock uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.locks, lock)
	if len(m.locks) == 0 && m.released != nil {
		close(m.released)
		m.released = nil
	}
}

// PrepareForShutdown delivers true when a shutdown begins, and false when it is over and the node goes on.
func (m *Manager) PrepareForShutdown() <-chan bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	// Nobody misses one: who is slow hears of both of a shutdown's.
	c := make(chan bool, 8)
	m.told = append(m.told, c)
	return c
}

// PowerOff tells who listens, and returns when the power may be cut: no lock is held any more, or they were held for
// too long. If ctx ends before, the shutdown is called off.
func (m *Manager) PowerOff(ctx context.Context) error {
	m.mu.Lock()
	if m.down {
		m.mu.Unlock()
		return ErrShuttingDown
	}
	m.down = true
	m.tell(true)
	released, wait := make(chan struct{}), m.delayMax
	if len(m.locks) == 0 {
		close(released)
	} else {
		m.released = released
	}
	m.mu.Unlock()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-released:
	case <-timer.C: // whoever holds a lock still has had its time
	case <-ctx.Done():
		m.Boot()
		return context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.down {
		return ErrCalledOff
	}
	m.off = true
	return nil
}

// Boot has the node go on after a shutdown; without one it does nothing.
func (m *Manager) Boot() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.down {
		return
	}
	m.down = false
	m.starts, m.off = m.off, false
	if m.released != nil {
		close(m.released)
		m.released = nil
	}
	m.tell(false)
}

// tell is called with mu held.
func (m *Manager) tell(down bool) {
	for _, c := range m.told {
		select {
		case c <- down:
		default: // nobody has read the last eight
		}
	}
}
