package tunnel

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// State is how a Client stands with its hub.
type State struct {
	// Up says that there is a session; Welcome is then the hub's.
	Up      bool
	Welcome Welcome
	// Err is why there is none, nil before the first attempt has ended.
	Err error
}

// Client keeps a tunnel to a hub up: it dials again whenever the session has ended.
type Client struct {
	// Dial makes a wire to the hub, or fails when ctx is done.
	Dial func(ctx context.Context) (net.Conn, error)
	// Hello is said on every wire; its name becomes the one that the hub gave.
	Hello Hello
	// Options are those of every session.
	Options Options
	// OnState is told of every change, from one goroutine; it must not block. May be nil.
	OnState func(State)

	nudges chan struct{}
	made   sync.Once
	mu     sync.Mutex
	now    *Session // nil while there is none
}

// How long the client waits before it dials again: twice as long after each failure, up to
// lastWait, so that a hub that is back is found within two seconds.
const (
	firstWait   = 50 * time.Millisecond
	lastWait    = time.Second
	refusedWait = 5 * time.Second
	dialTime    = 10 * time.Second
)

// A wall clock that moves by more than sleepGap between two looks may have slept, and the wire with
// it may be dead without a sign. It may have been a busy machine as well: see answers.
const (
	clockLook = 250 * time.Millisecond
	sleepGap  = 3 * time.Second
)

// Session is the one that is up, or nil.
func (c *Client) Session() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Open opens a stream of the session that is up.
func (c *Client) Open(h Header) (net.Conn, error) {
	s := c.Session()
	if s == nil {
		return nil, ErrLost
	}
	return s.Open(h)
}

// Nudge says that the network may have changed: a session has to answer as soon as a new wire does, or is
// given up, and a client that waits dials.
func (c *Client) Nudge() {
	select {
	case c.nudged() <- struct{}{}:
	default:
	}
}

func (c *Client) nudged() chan struct{} {
	c.made.Do(func() { c.nudges = make(chan struct{}, 1) })
	return c.nudges
}

// Run keeps the tunnel up until ctx is done, or the hub has refused for good: it then returns
// the *Refusal.
func (c *Client) Run(ctx context.Context) error {
	if c.Options.Log == nil {
		c.Options.Log = slog.New(slog.DiscardHandler)
	}
	if c.Hello.Run == "" {
		c.Hello.Run = crand.Text()
	}
	tell := c.OnState
	if tell == nil {
		tell = func(State) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go c.watchClock(ctx)
	for wait := firstWait; ; {
		began := time.Now()
		err := c.attempt(ctx, tell)
		if ctx.Err() != nil {
			return nil
		}
		tell(State{Err: err})
		pause := wait
		wait = min(2*wait, lastWait)
		if r, ok := errors.AsType[*Refusal](err); ok {
			if r.Final {
				return err
			}
			pause = refusedWait
		} else if time.Since(began) > dialTime {
			pause, wait = firstWait, firstWait // it was up, or waited long enough
		}
		select {
		case <-ctx.Done():
			return nil
		case <-c.nudged():
			wait = firstWait
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
	}
}

// attempt dials, and serves the session until it ends.
func (c *Client) attempt(ctx context.Context, tell func(State)) error {
	dialling, cancel := attentive(ctx, dialTime)
	defer cancel()
	wire, err := c.Dial(dialling)
	if err != nil {
		return fmt.Errorf("dial the hub: %w", err)
	}
	cancel()
	s, w, err := Dial(ctx, wire, c.Hello, c.Options)
	if err != nil {
		return err
	}
	defer s.Close()
	c.Hello.Name = w.Name
	c.set(s)
	defer c.set(nil)
	tell(State{Up: true, Welcome: w})
	go c.probe(ctx, s)
	return s.Serve(ctx)
}

// attentive is done after d, counted by how often this side could look: a tab that is busy with a
// thousand pods would else give up each wire before it has come to read the answer.
func attentive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for range d / clockLook {
			select {
			case <-ctx.Done():
				return
			case <-time.After(clockLook):
			}
		}
		cancel(context.DeadlineExceeded)
	}()
	return ctx, func() { cancel(context.Canceled) }
}

func (c *Client) set(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = s
}

// probe ends a session that does not answer after a nudge.
func (c *Client) probe(ctx context.Context, s *Session) {
	for {
		select {
		case <-s.Done():
			return
		case <-c.nudged():
		}
		if err := c.answers(ctx, s.Ping); err != nil {
			c.Options.Log.Info("the hub does not answer; dialling again", "error", err)
			_ = s.Close()
		}
	}
}

// answers asks a session for a sign of life; an error says that its wire is dead.
//
// Silence alone does not say so: a busy machine is late at the hub, on the way, and here, where Go's timers come on time
// while the browser's events wait behind a thousand goroutines. A session that ends takes its requests along, so a hub
// that is silent is dialled once more. The wire is dead if that has come to an end, be it well or not, and there is
// nothing on this one still, for as long again as the dial took. A dial that hangs proves nothing; the ping's own
// patience then ends the session.
func (c *Client) answers(ctx context.Context, ping func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- ping(ctx) }()
	if came, err := attend(answer, nudgeLooks); came {
		return err
	}
	began, dialled := time.Now(), make(chan struct{})
	go func() {
		wire, err := c.Dial(ctx)
		close(dialled)
		if err == nil {
			_ = wire.Close() // nothing was said on it; this may wait for the hub
		}
	}()
	select {
	case err := <-answer:
		return err
	case <-dialled:
	}
	if came, err := attend(answer, nudgeLooks+int(time.Since(began)/nudgeLook)); came {
		return err
	}
	return errors.New("no answer to a ping, and a dial has ended since")
}

// attend waits for an answer as long as it takes this side to look so often: a tab that is busy starting a cluster looks
// late, and would take its own lateness for the hub's.
func attend(answer <-chan error, looks int) (came bool, err error) {
	for range looks {
		select {
		case err := <-answer:
			return true, err
		case <-time.After(nudgeLook):
		}
	}
	return false, nil
}

// watchClock nudges after the machine has slept: timers stand still meanwhile, the wall clock
// does not.
func (c *Client) watchClock(ctx context.Context) {
	tick := time.NewTicker(clockLook)
	defer tick.Stop()
	last := time.Now().Round(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now().Round(0)
		if now.Sub(last) > sleepGap {
			c.Nudge()
		}
		last = now
	}
}
