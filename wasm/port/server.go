package port

import (
	"context"
	"errors"
	"fmt"
	"log"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Handler serves one method. Its result is sent as JSON.
type Handler func(ctx context.Context, c *Call) (result any, err error)

// Server answers the page's calls.
type Server struct {
	ctx      context.Context
	wire     Wire
	handlers map[string]Handler

	mu      sync.Mutex
	page    *pageWire // that of the calls of the page that there is
	calls   map[int]*Call
	running sync.WaitGroup
}

// pageWire is the wire as long as it leads to the page that has made a call.
type pageWire struct {
	Wire
	gone atomic.Bool
}

// errPageGone is what becomes of a call whose page there is no more.
var errPageGone = errors.New("the page has gone")

// Post implements Wire.
func (w *pageWire) Post(o Out) error {
	if w.gone.Load() {
		return errPageGone
	}
	return w.Wire.Post(o)
}

// NewServer returns a server that answers on wire; when ctx is done every call is cancelled.
// The caller gives what arrives to Receive.
func NewServer(ctx context.Context, wire Wire, handlers map[string]Handler) *Server {
	return &Server{ctx: ctx, wire: wire, page: &pageWire{Wire: wire}, handlers: handlers, calls: map[int]*Call{}}
}

// Receive takes one message from the page. It never blocks: it may be called by JavaScript.
func (s *Server) Receive(m In) {
	if m.Type == "call" {
		s.open(m)
		return
	}
	s.mu.Lock()
	c := s.calls[m.ID]
	s.mu.Unlock()
	if c != nil { // else it has ended, and the page does not know yet
		c.receive(m)
	}
}

// NextPage forgets the calls of the page that there was, which end, and of which the next one hears nothing: its own
// have the same numbers.
func (s *Server) NextPage() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.page.gone.Store(true)
	for _, c := range s.calls {
		c.cancel(errPageGone)
	}
	s.page = &pageWire{Wire: s.wire}
	s.calls = map[int]*Call{}
}

// Waiting is how many calls there are whose end somebody waits for: all but those that Rest.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.calls {
		if !c.resting.Load() {
			n++
		}
	}
	return n
}

// Post sends a message that belongs to no call.
func (s *Server) Post(o Out) error { return s.wire.Post(o) }

// Wait returns when no call is running.
func (s *Server) Wait() { s.running.Wait() }

func (s *Server) open(m In) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[m.ID] != nil {
		log.Printf("port: call %d (%s) is open already; the second one is ignored", m.ID, m.Method)
		return
	}
	c := newCall(s.ctx, s.page, m)
	s.calls[m.ID] = c
	s.running.Go(func() { s.serve(c, m.Method) })
}

// serve runs the handler and sends its one answer, after all of its data.
func (s *Server) serve(c *Call, method string) {
	result, err := s.run(c, method)
	c.finish()
	s.mu.Lock()
	if s.calls[c.id] == c {
		delete(s.calls, c.id)
	}
	s.mu.Unlock()
	answer := Out{"type": "result", "id": c.id, "value": result}
	if err != nil {
		answer = errorOut(c.id, err)
	}
	if err := c.wire.Post(answer); err != nil && !errors.Is(err, errPageGone) {
		// A result that cannot be sent is the handler's fault, and still an answer is due.
		err = c.wire.Post(errorOut(c.id, fmt.Errorf("%s: send the result: %w", method, err)))
		if err != nil {
			log.Printf("port: %v", err)
		}
	}
}

func (s *Server) run(c *Call, method string) (result any, err error) {
	h := s.handlers[method]
	if h == nil {
		return nil, fmt.Errorf("there is no method %q", method)
	}
	defer func() {
		if r := recover(); r != nil {
			log.Printf("port: %s panicked: %v\n%s", method, r, debug.Stack())
			err = &Error{
				Err:  fmt.Errorf("%s failed with a fault of the program: %v", method, r),
				Hint: "The details are in the console. Please report them.",
			}
		}
	}()
	return h(c.ctx, c)
}

func errorOut(id int, err error) Out {
	e := map[string]any{"message": err.Error()}
	var hinted *Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		e["hint"] = hinted.Hint
	}
	return Out{"type": "error", "id": id, "error": e}
}
