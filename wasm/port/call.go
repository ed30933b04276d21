package port

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// ErrCancelled is the cause of a call's context after the page cancelled it.
var ErrCancelled = errors.New("cancelled by the page")

// Size is a terminal's size in character cells.
type Size struct{ Cols, Rows int }

// Call is one call from the page, while it runs.
type Call struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	id     int
	wire   Wire
	params json.RawMessage
	in     *inbox
	out    *outbox

	resized chan struct{}
	signals chan string
	orders  chan json.RawMessage
	resting atomic.Bool

	mu    sync.Mutex
	size  Size
	asked int                  // edits so far
	edits map[int]chan *string // under way, by their number; guarded by mu
}

func newCall(parent context.Context, wire Wire, m In) *Call {
	ctx, cancel := context.WithCancelCause(parent)
	c := &Call{
		ctx: ctx, cancel: cancel, id: m.ID, wire: wire, params: m.Params,
		resized: make(chan struct{}, 1),
		signals: make(chan string, 8),
		orders:  make(chan json.RawMessage, maxOrders),
	}
	c.in = newInbox(ctx)
	c.out = newOutbox(ctx, c.id, wire)
	return c
}

// Params decodes the parameters.
func (c *Call) Params(into any) error {
	if err := json.Unmarshal(c.params, into); err != nil {
		return fmt.Errorf("read the parameters: %w", err)
	}
	return nil
}

// Input reads what the page sends, up to its `end`. When ctx of the call is done, it returns
// the cause.
func (c *Call) Input() io.Reader { return c.in }

// AskForInput makes the reader of Input tell the page (`stdin`) whenever it has to wait: a
// terminal's line is typed when somebody asks for it.
func (c *Call) AskForInput() {
	c.in.onWait(func() { c.post(Out{"type": "stdin", "id": c.id}) })
}

// Output writes to one of the page's streams: "stdout", "stderr" or "body". Small writes are
// gathered for a moment; the order among the streams stays. A write waits while Window bytes
// are unacknowledged, and fails when the call is cancelled.
func (c *Call) Output(stream string) io.Writer { return &writer{c.out, stream} }

// Flush sends what is gathered at once.
func (c *Call) Flush() error { return c.out.flush() }

// Head sends the status line and the headers of an HTTP response.
func (c *Call) Head(status int, statusText string, headers [][2]string) error {
	if headers == nil {
		headers = [][2]string{}
	}
	return c.post(Out{"type": "head", "id": c.id, "status": status, "statusText": statusText, "headers": headers})
}

// Rest says that nobody waits for the call's end: it lasts as long as the page wants to hear of something.
func (c *Call) Rest() { c.resting.Store(true) }

// Raw says whether the terminal is to send keystrokes one by one, or whole edited lines.
func (c *Call) Raw(on bool) error {
	return c.post(Out{"type": "raw", "id": c.id, "on": on})
}

// Event tells the page something that it has not asked for; event is one of the method's in
// protocol.ts, and is sent as JSON.
func (c *Call) Event(event any) error {
	return c.post(Out{"type": "event", "id": c.id, "event": event})
}

// Orders gives what the page wants of a call that runs, as JSON: the method's order in protocol.ts.
func (c *Call) Orders() <-chan json.RawMessage { return c.orders }

// maxOrders is how many orders may wait to be taken.
const maxOrders = 64

var errTooManyOrders = fmt.Errorf("more than %d orders were sent and not taken", maxOrders)

// Size is the terminal's size, as the page said last; zero before it did.
func (c *Call) Size() Size {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// SetSize is for the size that came with the parameters.
func (c *Call) SetSize(s Size) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size = s
}

// Resized is signalled after Size has changed.
func (c *Call) Resized() <-chan struct{} { return c.resized }

// Signals gives "INT" and "TERM" as they come; what nobody takes is dropped.
func (c *Call) Signals() <-chan string { return c.signals }

// Edit has the page open its editor on a text, and waits for the person: the new text, or
// saved false if it is to stay as it was.
func (c *Call) Edit(ctx context.Context, name, text string) (edited string, saved bool, err error) {
	answer := make(chan *string, 1)
	c.mu.Lock()
	c.asked++
	ask := c.asked
	if c.edits == nil {
		c.edits = map[int]chan *string{}
	}
	c.edits[ask] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.edits, ask)
	}()
	if err := c.post(Out{"type": "edit", "id": c.id, "ask": ask, "name": name, "text": text}); err != nil {
		return "", false, err
	}
	select {
	case t := <-answer:
		if t == nil {
			return "", false, nil
		}
		return *t, true, nil
	case <-ctx.Done():
		return "", false, context.Cause(ctx)
	}
}

func (c *Call) edited(m In) {
	c.mu.Lock()
	answer := c.edits[m.Ask]
	c.mu.Unlock()
	if answer == nil {
		return // nobody waits any more
	}
	select {
	case answer <- m.Text:
	default:
	}
}

// post sends a message of this call after the data that was written before it.
func (c *Call) post(o Out) error {
	if err := c.out.flush(); err != nil {
		return err
	}
	return c.wire.Post(o)
}

func (c *Call) receive(m In) {
	switch m.Type {
	case "data":
		if err := c.in.put(m.Chunk); err != nil {
			c.cancel(err)
		}
	case "end":
		c.in.end()
	case "ack":
		c.out.acknowledge(m.Bytes)
	case "resize":
		c.SetSize(Size{m.Cols, m.Rows})
		select {
		case c.resized <- struct{}{}:
		default:
		}
	case "signal":
		select {
		case c.signals <- m.Signal:
		default:
		}
	case "order":
		select {
		case c.orders <- m.Order:
		default:
			c.cancel(errTooManyOrders)
		}
	case "edited":
		c.edited(m)
	case "cancel":
		c.cancel(ErrCancelled)
	}
}

// finish sends what is still gathered and ends the call's context.
func (c *Call) finish() {
	// A call that was cancelled may not send data any more; its answer says why.
	_ = c.out.close()
	c.cancel(nil)
}
