package cluster

import (
	"sync"
	"time"
)

// Step is one stage of starting a cluster.
type Step string

// The steps in the order in which they begin; controllers, scheduler and nodes start together.
const (
	StepStore       Step = "store"
	StepAPIServer   Step = "apiserver"
	StepControllers Step = "controllers"
	StepScheduler   Step = "scheduler"
	StepNodes       Step = "nodes"
)

var steps = []Step{StepStore, StepAPIServer, StepControllers, StepScheduler, StepNodes}

// State is how far a step has come.
type State string

// A step is started, reports progress any number of times, and is done or failed.
const (
	StateStarted  State = "started"
	StateProgress State = "progress"
	StateDone     State = "done"
	StateFailed   State = "failed"
)

// Progress is one thing that happened while starting.
type Progress struct {
	Step  Step
	State State
	At    time.Time
	// Detail is a short sentence: what is happening, or what failed.
	Detail string
}

// board remembers which steps are done and tells the observer.
type board struct {
	tell func(Progress)
	mu   sync.Mutex // serialises tell
	done map[Step]chan struct{}
	all  chan struct{}
	left int // steps not done yet; guarded by mu
}

func newBoard(tell func(Progress)) *board {
	b := &board{tell: tell, done: map[Step]chan struct{}{}, all: make(chan struct{}), left: len(steps)}
	for _, s := range steps {
		b.done[s] = make(chan struct{})
	}
	return b
}

func (b *board) post(s Step, state State, detail string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tell(Progress{Step: s, State: state, At: time.Now(), Detail: detail})
	if state == StateDone {
		close(b.done[s])
		if b.left--; b.left == 0 {
			close(b.all)
		}
	}
}
