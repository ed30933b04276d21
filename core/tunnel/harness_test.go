package tunnel

import (
	"context"
	"crypto/subtle"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

const (
	testSecret   = "a secret of the test"
	testInstance = "AAAAAAAAAAAAAAAAAAAAAA"
	patience     = 30 * time.Second // for what must come, on a busy machine
)

// hub is a listener that makes a session of every wire whose secret is right.
type hub struct {
	t        *testing.T
	addr     string
	opts     Options
	sessions chan *Session
	names    chan string // that hellos asked for

	mu    sync.Mutex
	ln    net.Listener
	wires map[net.Conn]bool
}

func newHub(t *testing.T, o Options) *hub {
	h := &hub{t: t, addr: "127.0.0.1:0", opts: o, sessions: make(chan *Session, 64), names: make(chan string, 64), wires: map[net.Conn]bool{}}
	h.start()
	t.Cleanup(h.stop)
	return h
}

func (h *hub) start() {
	ln, err := net.Listen("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	if h.addr == "127.0.0.1:0" {
		h.addr = ln.Addr().String() // the same one after a restart
	}
	h.mu.Lock()
	h.ln = ln
	h.mu.Unlock()
	go func() {
		for {
			wire, err := ln.Accept()
			if err != nil {
				return
			}
			h.mu.Lock()
			h.wires[wire] = true
			h.mu.Unlock()
			go h.greet(wire)
		}
	}()
}

func (h *hub) greet(wire net.Conn) {
	_, _, err := Accept(context.Background(), wire, func(hello Hello) (Welcome, error) {
		if subtle.ConstantTimeCompare([]byte(hello.Secret), []byte(testSecret)) == 0 {
			return Welcome{}, &Refusal{"the pairing secret is wrong", true}
		}
		h.names <- hello.Name
		return Welcome{Name: "tab"}, nil
	})
	if err != nil {
		wire.Close()
		return
	}
	s, err := NewHubSession(wire, h.opts)
	if err != nil {
		wire.Close()
		return
	}
	go s.Serve(context.Background())
	h.sessions <- s
}

// drop cuts every wire without a word.
func (h *hub) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.wires {
		if tcp, ok := w.(*net.TCPConn); ok {
			tcp.SetLinger(0)
		}
		w.Close()
		delete(h.wires, w)
	}
}

func (h *hub) stop() {
	h.mu.Lock()
	h.ln.Close()
	h.mu.Unlock()
	h.drop()
}

func (h *hub) next() *Session {
	h.t.Helper()
	select {
	case s := <-h.sessions:
		return s
	case <-time.After(patience):
		h.t.Fatal("no session came")
		return nil
	}
}

func (h *hub) dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", h.addr)
}

// run runs a client until the test ends.
func run(t *testing.T, c *Client) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// echoes serves every stream by sending back what comes.
func echoes() Options {
	return Options{
		Authorise: func(Header) error { return nil },
		Handle: func(_ context.Context, _ Header, s net.Conn) {
			io.Copy(s, s)
			s.Close()
		},
	}
}

// pair is a hub's session and the client at its other end, both up.
func pair(t *testing.T, tab, hubSide Options) (*Session, *Client) {
	h := newHub(t, hubSide)
	up := make(chan struct{}, 64)
	c := &Client{
		Dial: h.dial, Hello: Hello{Instance: testInstance, Secret: testSecret}, Options: tab,
		OnState: func(s State) { up <- struct{}{} },
	}
	run(t, c)
	<-up
	return h.next(), c
}
