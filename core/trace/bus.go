package trace

import (
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what a bus keeps, whichever is reached first.
const (
	MaxSteps   = 20_000
	MaxBytes   = 8 << 20
	startSteps = 5_000
	startBytes = 2 << 20
)

// Bus takes the steps of one cluster and keeps the last of them. It is safe for concurrent use; a
// nil *Bus takes nothing and knows nothing.
type Bus struct {
	last    atomic.Int64 // ID that was given last
	viewers atomic.Int32 // readers that are there now
	typed   atomic.Int64 // when a command's request was marked last, in Unix seconds
	asked   atomic.Int64 // ID of that request

	mu    sync.Mutex
	live  ring
	start ring  // chapter Start: what happened then stays to be looked at
	told  told  // what real nodes told, for which nothing of the others goes
	ended int64 // how many steps have come, besides the start's: the next one's number
	index index
	// added is closed when a step is there and a viewer waits; nil if none does.
	added chan struct{}

	marks marks
}

// New returns an empty bus.
func New() *Bus { return newBus(MaxSteps, MaxBytes) }

func newBus(steps, bytes int) *Bus {
	b := &Bus{
		live: ring{maxSteps: steps, maxBytes: bytes}, start: ring{maxSteps: startSteps, maxBytes: startBytes},
		told: told{maxBytes: ToldBytes, nodes: map[string]*tale{}},
	}
	b.index.init()
	b.marks.init()
	return b
}

// Watched is whether somebody reads the bus at this moment: a tap may then keep what is costly to
// keep, such as an object before it was changed.
func (b *Bus) Watched() bool { return b != nil && b.viewers.Load() > 0 }

// attendance is how long somebody who has typed a command is taken to be there: its consequences come, and may be
// looked at, for longer than it runs.
const attendance = 5 * time.Minute

// Attended is whether somebody reads the bus, or has typed a command in this process in the last five minutes. Where
// nobody is there a tap may leave out the parts of what it tells of.
func (b *Bus) Attended(now time.Time) bool {
	return b.Watched() || b != nil && now.Unix()-b.typed.Load() < int64(attendance/time.Second)
}

// SinceTyped is whether a cause began after somebody has typed a command in this process: what comes of it may come of
// that.
func (b *Bus) SinceTyped(cause ID) bool {
	if b == nil || cause == 0 {
		return false
	}
	asked := b.asked.Load()
	return asked != 0 && int64(cause) >= asked
}

// Reserve gives the ID of a step that begins now, so that what it causes can name it; the step is
// added under that ID when it has ended, or never.
func (b *Bus) Reserve() ID {
	if b == nil {
		return 0
	}
	return ID(b.last.Add(1))
}

// Add tells of a step that has ended, and returns its ID.
func (b *Bus) Add(s Step) ID {
	if b == nil {
		return 0
	}
	if s.ID == 0 {
		s.ID = b.Reserve()
	}
	if s.At.IsZero() {
		s.At = time.Now()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.Kind.Chapter == Start {
		b.start.add(s, func(*Step) {})
	} else {
		s.number = b.ended
		b.ended++
		if s.Told {
			b.told.add(s, b.index.forget)
		} else {
			b.live.add(s, b.index.forget)
		}
	}
	if b.added != nil {
		close(b.added)
		b.added = nil
	}
	return s.ID
}

// Find gives a step that is still held.
func (b *Bus) Find(id ID) (Step, bool) {
	if b == nil {
		return Step{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range []*ring{&b.live, &b.start} {
		for n := r.end() - 1; n >= r.first; n-- {
			if s := r.at(n); s.ID == id {
				return *s, true
			}
		}
	}
	for _, of := range b.told.nodes {
		for _, s := range of.steps {
			if s.ID == id {
				return *s, true
			}
		}
	}
	return Step{}, false
}

// All copies what is held, the start first, each in the order in which steps ended; gone is how many
// had to go.
func (b *Bus) All() (steps []Step, gone int64) {
	if b == nil {
		return nil, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	held := b.live.n + b.told.n
	steps = make([]Step, 0, b.start.n+held)
	for n := b.start.first; n < b.start.end(); n++ {
		steps = append(steps, *b.start.at(n))
	}
	for _, s := range b.since(0, held) {
		steps = append(steps, *s)
	}
	return steps, b.start.first + b.ended - int64(held)
}
