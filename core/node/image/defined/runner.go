package defined

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// Host begins Workers: the browser does, where there is one.
type Host interface {
	// Begin starts a Worker, by whose number Runner.Holds knows it. heard is called with each of its messages, as it came, in order; failed at most once,
	// with why the Worker cannot run or has said something that is no message, or ErrGone. Both must not block.
	Begin(number uint32, heard func([]byte), failed func(error)) (Worker, error)
}

// ErrGone is that the process in which a Worker ran has ended, which may not have been that Worker's doing.
var ErrGone = errors.New("its process has ended")

// Worker is one that has begun.
type Worker interface {
	// Post sends a message, which belongs to the Worker afterwards.
	Post([]byte) error
	// End ends it at once, whatever it does. Nothing is heard of it any more.
	End()
}

// Definition is what a page has defined.
type Definition struct {
	// Module is the address of a JavaScript module.
	Module string
	// Ports are where it is served.
	Ports []int
}

// MaxWorkers is how many containers of defined images run at once; each has a thread of the browser's.
const MaxWorkers = 32

// Runner runs definitions on a Host.
type Runner struct {
	host    Host
	running atomic.Int32
	held    held
	// patience is after what time a Worker is asked whether it still listens.
	patience time.Duration
}

// NewRunner makes a Runner.
func NewRunner(host Host) *Runner {
	return &Runner{host: host, held: held{workers: map[uint32]chan int64{}, begun: make(chan struct{})}, patience: pingEvery}
}

// Program is a container's first process with that definition.
func (r *Runner) Program(d Definition) program.Program {
	return func(ctx context.Context, p *program.Process) int {
		if n := r.running.Add(1); n > MaxWorkers {
			r.running.Add(-1)
			fmt.Fprintf(p.Stderr, "%s: %d containers of images in JavaScript run already, and there is no room for more: delete one\n", p.Args[0], MaxWorkers)
			return 1
		}
		defer r.running.Add(-1)
		return r.run(ctx, p, d)
	}
}
