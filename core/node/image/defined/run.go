package defined

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

const (
	// pingEvery is how often a Worker is asked whether it listens, and maxUnheard how often in a row it may not
	// answer. Each question is a turn of the cluster's own thread: while that is busy nobody is found guilty.
	pingEvery  = 2 * time.Second
	maxUnheard = 5
	// loadWithin is how long a module may take to be there.
	loadWithin = time.Minute
	// workerMemory is on the container's account for what the two sides hold of it between them. What the Worker
	// itself holds comes on top where it can be measured: see Runner.Holds.
	workerMemory = 4 << 20
	// maxQueue is how many messages may wait to be taken, and maxQueued how many bytes; credit allows less.
	maxQueue  = 4 << 10
	maxQueued = (maxAnswers + 4) * window
)

// exitKilled is what a container ends with whose Worker does not listen any more, or is gone with its process: as by SIGKILL.
const exitKilled = 128 + int(program.SIGKILL)

// run is the life of one container.
type run struct {
	p      *program.Process
	ctx    context.Context // paced, and done when the container is killed
	stop   context.CancelFunc
	worker atomic.Pointer[Worker] // nil until it has begun
	held   *program.Memory
	figure <-chan int64 // what the Worker holds, in bytes, when it has been measured

	queue  chan message
	queued atomic.Int64 // bytes in it
	broken chan error   // what ends it that no message says, the first of it

	mu       sync.Mutex
	answers  map[uint32]*answer // that the Worker owes an end
	requests uint32             // so far
	files    chan struct{}      // has one for each file that is being read
	pinged   uint32
	ponged   uint32
	server   *http.Server // nil before the module is ready
}

func (r *Runner) run(ctx context.Context, p *program.Process, d Definition) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &run{
		p: p, ctx: program.Yield(ctx), stop: stop, held: p.Memory(),
		queue: make(chan message, maxQueue), broken: make(chan error, 1),
		answers: map[uint32]*answer{}, files: make(chan struct{}, maxFiles),
	}
	if c.held.Grow(workerMemory) != nil {
		return exitKilled // the container is being killed for it
	}
	defer c.held.Free()
	// What it says before Begin returns waits: only the loop below answers.
	number, figure := r.held.begin()
	defer r.held.end(number)
	c.figure = figure
	worker, err := r.host.Begin(number, c.hear, c.fail)
	if err != nil {
		return c.say("begin a Worker: %v", err)
	}
	c.worker.Store(&worker)
	defer worker.End()
	c.post(toStart, 0, asJSON(startMessage{Module: d.Module, Args: p.Args, Env: p.Env, Hostname: p.Hostname}))
	defer c.close()
	return c.live(d, r.patience)
}

// live takes messages, signals and the time, until the container ends; it returns the exit code.
func (c *run) live(d Definition, patience time.Duration) int {
	ping := time.NewTicker(patience)
	defer ping.Stop()
	load := time.NewTimer(loadWithin)
	defer load.Stop()
	for {
		if c.ctx.Err() != nil { // which gives way, too: a flood is taken no faster than the cluster has time for
			return exitKilled
		}
		select {
		case m := <-c.queue:
			c.queued.Add(-int64(len(m.data)))
			if m.kind == fromExit {
				return int(m.id & 0xff)
			}
			if m.kind == fromReady {
				load.Stop()
				if err := c.ready(m, d.Ports); err != nil {
					return c.say("%v", err)
				}
				continue
			}
			if err := c.take(m); err != nil {
				return c.say("its Worker broke the rules and was ended: %v", err)
			}
		case err := <-c.broken:
			c.printRest()
			if errors.Is(err, ErrGone) {
				fmt.Fprintf(c.p.Stderr, "%s: the browser's process of containers in JavaScript has ended, and this container with it: most likely one of them took more memory than the browser gives to a process\n", c.p.Args[0])
				return exitKilled
			}
			return c.say("its Worker failed: %v", err)
		case bytes := <-c.figure:
			if c.held.Set(workerMemory+bytes) != nil {
				return exitKilled // the container is being killed for it
			}
		case s := <-c.p.Signals:
			c.post(toSignal, uint32(s), []byte("SIG"+s.Name()))
		case <-ping.C:
			if c.pinged-c.ponged >= maxUnheard {
				c.end()
				fmt.Fprintf(c.p.Stderr, "%s: its Worker has not answered for %v and was ended: it computes without a pause (await)\n", c.p.Args[0], maxUnheard*patience)
				return exitKilled
			}
			c.pinged++
			c.post(toPing, c.pinged, nil)
		case <-load.C:
			return c.say("the module %s was not there within %v: look whether its address answers, and whether it waits at its top level", d.Module, loadWithin)
		case <-c.ctx.Done():
			return exitKilled
		}
	}
}

// printRest writes what the Worker had said before it failed: there may be the reason.
func (c *run) printRest() {
	for {
		select {
		case m := <-c.queue:
			if m.kind == fromStdout || m.kind == fromStderr {
				_ = c.print(m)
			}
		default:
			return
		}
	}
}

// hear puts a message of the Worker's in line. It is called from the browser and does not block.
func (c *run) hear(b []byte) {
	m, err := decode(b)
	if err == nil && c.queued.Add(int64(len(m.data))) > maxQueued {
		err = errors.New("more bytes than there is credit for")
	}
	if err == nil {
		select {
		case c.queue <- m:
			return
		default:
			err = errors.New("more messages than there is credit for")
		}
	}
	c.fail(err)
}

// fail notes what ends the container. Its Worker ends at once: nothing more is to come of it, even while the log
// keeps the container waiting.
func (c *run) fail(err error) {
	c.end()
	select {
	case c.broken <- err:
	default:
	}
}

// end ends the Worker, if it has begun.
func (c *run) end() {
	if w := c.worker.Load(); w != nil {
		(*w).End()
	}
}

// post sends the Worker a message.
func (c *run) post(k kind, id uint32, data []byte) {
	if err := (*c.worker.Load()).Post(message{k, id, data}.encode()); err != nil {
		c.fail(err)
	}
}

// say ends the Worker, writes why to the log, and returns the exit code.
func (c *run) say(format string, args ...any) int {
	c.end()
	fmt.Fprintf(c.p.Stderr, "%s: %.1000s\n", c.p.Args[0], fmt.Sprintf(format, args...))
	return 1
}

// close ends what is served, and whoever waits for an answer.
func (c *run) close() {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		_ = c.server.Close() // it is the end
	}
}
