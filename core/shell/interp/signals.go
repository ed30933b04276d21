package interp

import (
	"context"
	"sync"

	"github.com/tabernetes/tabernetes/core/program"
)

// signals is what a shell does with the signals that are sent to its process.
type signals struct {
	mu       sync.Mutex
	actions  map[program.Signal]string // of trap; "" ignores
	pending  []program.Signal          // trapped and not yet handled
	wake     chan struct{}             // one token when something became pending
	children map[chan program.Signal]struct{}
	asked    bool // a SIGINT was given to the children
	cancel   context.CancelCauseFunc
	quiet    func() // stops listening
}

func newSignals() *signals {
	return &signals{
		actions:  map[program.Signal]string{},
		wake:     make(chan struct{}, 1),
		children: map[chan program.Signal]struct{}{},
		quiet:    func() {},
	}
}

// listen handles the signals of p until the returned function is called. A signal that is not
// trapped and that ends a process cancels the run.
func (g *signals) listen(p *program.Process, cancel context.CancelCauseFunc) (stop func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cancel, g.asked = cancel, false
	if p.Signals == nil {
		return func() {}
	}
	done := make(chan struct{})
	var once sync.Once
	g.quiet = func() { once.Do(func() { close(done) }) }
	source, protected, atTerminal := p.Signals, p.PID == 1, p.Terminal != nil
	go func() {
		for {
			select {
			case sig := <-source:
				g.deliver(sig, protected && !(atTerminal && sig == program.SIGINT))
			case <-done:
				return
			}
		}
	}()
	return g.quiet
}

func (g *signals) deliver(sig program.Signal, protected bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	action, trapped := g.actions[sig]
	if trapped && action == "" {
		return
	}
	if sig == program.SIGINT || sig == program.SIGQUIT || sig == program.SIGHUP {
		for child := range g.children { // the foreground's process group
			select {
			case child <- sig:
			default:
			}
		}
	}
	switch {
	case trapped:
		g.pending = append(g.pending, sig)
		select {
		case g.wake <- struct{}{}:
		default:
		}
	case protected || !sig.Ends():
	case sig == program.SIGINT && len(g.children) > 0:
		g.asked = true // the shell ends if the children do; see program.go
	default:
		g.cancel(program.Killed{Signal: sig})
	}
}

// child registers a command in the foreground, which is sent what the terminal sends.
func (g *signals) child() (ch chan program.Signal, ended func(code int)) {
	ch = make(chan program.Signal, 4)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children[ch] = struct{}{}
	return ch, func(code int) {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.children, ch)
		if g.asked && code == 128+int(program.SIGINT) {
			g.cancel(program.Killed{Signal: program.SIGINT})
		}
		if len(g.children) == 0 {
			g.asked = false
		}
	}
}

// next takes the next pending signal with its action.
func (g *signals) next() (sig program.Signal, action string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.pending) > 0 {
		sig = g.pending[0]
		g.pending = g.pending[1:]
		if action := g.actions[sig]; action != "" {
			return sig, action, true
		}
	}
	return 0, "", false
}

// set changes the action of a signal; ok false restores the default.
func (g *signals) set(sig program.Signal, action string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ok {
		g.actions[sig] = action
	} else {
		delete(g.actions, sig)
	}
}

// list copies the actions.
func (g *signals) list() map[program.Signal]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	actions := map[program.Signal]string{}
	for sig, action := range g.actions {
		actions[sig] = action
	}
	return actions
}

// due tells whether a trap's action waits to be run.
func (g *signals) due() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.pending) > 0
}
