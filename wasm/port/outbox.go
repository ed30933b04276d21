package port

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// gather is how long a small write waits for others to join it.
	gather = 2 * time.Millisecond
	// chunkSize is the most that one message carries.
	chunkSize = 32 << 10
)

var errFinished = errors.New("the call has ended")

// outbox gathers what the handler writes and keeps to the window.
type outbox struct {
	ctx  context.Context
	id   int
	wire Wire

	sending sync.Mutex // held while sending: keeps the order

	mu       sync.Mutex
	stream   string // of pending
	pending  []byte // at most chunkSize
	timer    *time.Timer
	underway int           // bytes sent and not acknowledged
	acked    chan struct{} // buffered: underway has shrunk
	err      error         // set once nothing can be sent any more
}

func newOutbox(ctx context.Context, id int, wire Wire) *outbox {
	return &outbox{ctx: ctx, id: id, wire: wire, acked: make(chan struct{}, 1)}
}

// writer is one stream of an outbox.
type writer struct {
	out    *outbox
	stream string
}

// Write gathers p, and sends whenever a chunk is full.
func (w *writer) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		n, full, err := w.out.add(w.stream, p[done:])
		if err != nil {
			return done, err
		}
		done += n
		if full {
			if err := w.out.flush(); err != nil {
				return done, err
			}
		}
	}
	return len(p), nil
}

// add gathers a part of p; full says that the outbox must be flushed before more is added.
func (o *outbox) add(stream string, p []byte) (n int, full bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, false, o.err
	}
	if o.ctx.Err() != nil {
		return 0, false, context.Cause(o.ctx)
	}
	if len(o.pending) > 0 && o.stream != stream {
		return 0, true, nil
	}
	o.stream = stream
	n = min(len(p), chunkSize-len(o.pending))
	o.pending = append(o.pending, p[:n]...)
	if len(o.pending) == chunkSize {
		return n, true, nil
	}
	if o.timer == nil {
		o.timer = time.AfterFunc(gather, func() { _ = o.flush() })
	}
	return n, false, nil
}

// flush sends what is gathered, waiting for the window.
func (o *outbox) flush() error {
	o.sending.Lock()
	defer o.sending.Unlock()
	for {
		stream, chunk, err := o.ready()
		if err != nil || len(chunk) == 0 {
			return err
		}
		if err := o.await(len(chunk)); err != nil {
			return err
		}
		if err := o.wire.Post(Out{"type": "data", "id": o.id, "stream": stream, "chunk": chunk}); err != nil {
			return o.fail(fmt.Errorf("send data: %w", err))
		}
	}
}

// ready takes the gathered chunk.
func (o *outbox) ready() (stream string, chunk []byte, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	chunk = slices.Clip(o.pending)
	o.pending = nil
	return o.stream, chunk, o.err
}

// await returns when n more bytes may be under way, and counts them. A chunk larger than the
// window goes when nothing else is under way.
func (o *outbox) await(n int) error {
	for {
		o.mu.Lock()
		if o.underway == 0 || o.underway+n <= Window {
			o.underway += n
			o.mu.Unlock()
			return nil
		}
		o.mu.Unlock()
		select {
		case <-o.acked:
		case <-o.ctx.Done():
			return o.fail(context.Cause(o.ctx))
		}
	}
}

func (o *outbox) acknowledge(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.underway = max(0, o.underway-n)
	select {
	case o.acked <- struct{}{}:
	default:
	}
}

// close sends what is left; nothing can be written afterwards.
func (o *outbox) close() error {
	err := o.flush()
	o.fail(errFinished)
	return err
}

// fail makes every later write fail and returns err.
func (o *outbox) fail(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	return err
}
