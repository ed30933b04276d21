package told

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Options of Follow.
type Options struct {
	Bus *trace.Bus
	// Node is the Node's name, of which Dial has seen the proof.
	Node string
	// Dial opens a connection to the node's steps.
	Dial func(ctx context.Context) (net.Conn, error)
	// Pod gets a pod from the API.
	Pod func(ctx context.Context, namespace, name string) (*corev1.Pod, error)
	// Wait is how long until the node is dialled again: Retry after a failure, Penance after it was
	// cut off. Defaults 3 s and 10 min.
	Retry, Penance time.Duration
	// AskEvery is how often its clock is asked for. Default 30 s.
	AskEvery time.Duration
}

const maxRetry = time.Minute

// follower is one node that is followed.
type follower struct {
	Options
	clock *clock // of this connection
	pods  *pods
	steps *rate.Limiter
	bytes *rate.Limiter
	// said is when something was last refused aloud: a step a minute is enough.
	said time.Time
}

func newLimits() (steps, bytes *rate.Limiter) {
	return rate.NewLimiter(StepsPerSecond, StepsAtOnce), rate.NewLimiter(BytesPerSecond, BytesAtOnce)
}

// cutOff is why a node is not listened to for a while.
type cutOff struct{ why string }

func (c *cutOff) Error() string { return c.why }

// Follow puts what a node tells onto the bus, until ctx is done.
func Follow(ctx context.Context, o Options) {
	if o.Retry == 0 {
		o.Retry = 3 * time.Second
	}
	if o.Penance == 0 {
		o.Penance = 10 * time.Minute
	}
	if o.AskEvery == 0 {
		o.AskEvery = 30 * time.Second
	}
	f := &follower{Options: o, pods: newPods(&o)}
	f.steps, f.bytes = newLimits()
	wait := o.Retry
	for ctx.Err() == nil {
		heard, err := f.once(ctx)
		if heard {
			wait = o.Retry
		}
		next := wait
		if cut, ok := errors.AsType[*cutOff](err); ok {
			f.say(cutOffKind, &Refused{Why: cut.why}, false)
			next = o.Penance
			// It begins anew then.
			f.steps, f.bytes = newLimits()
		} else {
			wait = min(2*wait, maxRetry)
		}
		select {
		case <-ctx.Done():
		case <-time.After(next):
		}
	}
}

// once listens on one connection; heard is whether the node has said anything.
func (f *follower) once(ctx context.Context) (heard bool, err error) {
	conn, err := f.Dial(ctx)
	if err != nil {
		return false, err // it is away, or of an earlier version
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer conn.Close()
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	f.clock = &clock{}
	go f.ask(ctx, conn, f.clock)
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 4<<10), MaxLine)
	for lines.Scan() {
		heard = true
		if err := f.line(ctx, lines.Bytes()); err != nil {
			return heard, err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return heard, &cutOff{fmt.Sprintf("a line is longer than %d bytes", MaxLine)}
	}
	return heard, lines.Err()
}

// ask asks for the node's clock now and then.
func (f *follower) ask(ctx context.Context, conn net.Conn, c *clock) {
	tick := time.NewTicker(f.AskEvery)
	defer tick.Stop()
	for c.ask(time.Now()) {
		if _, err := conn.Write([]byte{Ask}); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// line takes one line; what it fails with ends the connection.
func (f *follower) line(ctx context.Context, text []byte) error {
	now := time.Now()
	if !f.steps.AllowN(now, 1) {
		return &cutOff{fmt.Sprintf("it tells more than %d steps at once, and %d each second after that", StepsAtOnce, StepsPerSecond)}
	}
	if !f.bytes.AllowN(now, len(text)+1) {
		return &cutOff{fmt.Sprintf("it tells more than %d bytes at once, and %d each second after that", BytesAtOnce, BytesPerSecond)}
	}
	var l Line
	if err := json.Unmarshal(text, &l); err != nil {
		return &cutOff{"a line is not what a node says"}
	}
	switch {
	case l.Clock != 0:
		if !f.clock.answered(now, l.Clock) {
			return &cutOff{"it tells a time that nobody has asked for"}
		}
	case !f.clock.known:
		return &cutOff{"it tells before it was asked for its clock"}
	case l.Missed > 0:
		f.say(missedKind, &Missed{Steps: l.Missed}, true)
	case l.Step != nil:
		err := f.step(ctx, l.Step)
		switch {
		case err == nil, errors.Is(err, errUnknown):
		case errors.Is(err, errOthers):
			f.refuse(fmt.Sprintf("it tells of pod %.300q, which is not on it", l.Step.Namespace+"/"+l.Step.Pod))
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			f.refuse(trace.Text(err.Error()))
		}
	}
	return nil
}

// refuse says why something was refused, once a minute.
func (f *follower) refuse(why string) {
	if now := time.Now(); f.said.IsZero() || now.Sub(f.said) > time.Minute {
		f.said = now
		f.say(refusedKind, &Refused{Why: why}, false)
	}
}

// say tells of the node what the cluster has seen of it, or, if told is set, was told: that is the node's to say as
// often as it likes, and counts as its own.
func (f *follower) say(kind *trace.Kind, details any, told bool) {
	f.Bus.Add(trace.Step{
		Kind: kind, Component: "cluster", Node: f.Node, Details: details, Told: told,
		Object: trace.Object{Version: "v1", Resource: "nodes", Name: f.Node},
	})
}
