package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Wires are cut again and again while streams are busy: each stream ends with an error or with
// the right bytes, and there is always a next session.
func TestDroppedWiresUnderLoad(t *testing.T) {
	h := newHub(t, Options{})
	run(t, &Client{Dial: h.dial, Hello: Hello{Instance: testInstance, Secret: testSecret}, Options: echoes()})
	var whole, cut atomic.Int64
	for range 10 {
		s := h.next()
		var load sync.WaitGroup
		for range 20 {
			load.Go(func() {
				stream, err := s.Open(Header{KindAPI, ""})
				if err != nil {
					cut.Add(1)
					return
				}
				defer stream.Close()
				buf := make([]byte, 4<<10)
				for i := range 200 {
					buf[0] = byte(i)
					if _, err := stream.Write(buf); err != nil {
						cut.Add(1)
						return
					}
					if _, err := io.ReadFull(stream, buf); err != nil {
						cut.Add(1)
						return
					}
					if buf[0] != byte(i) {
						t.Errorf("round %d brought %d", i, buf[0])
					}
				}
				whole.Add(1)
			})
		}
		time.Sleep(3 * time.Millisecond)
		h.drop()
		load.Wait()
		<-s.Done()
	}
	t.Logf("%d streams were cut, %d were through before", cut.Load(), whole.Load())
}

func TestHubRestarts(t *testing.T) {
	h := newHub(t, Options{})
	states := make(chan State, 100)
	c := &Client{
		Dial: h.dial, Hello: Hello{Instance: testInstance, Secret: testSecret}, Options: echoes(),
		OnState: func(s State) { states <- s },
	}
	run(t, c)
	until := func(up bool) State {
		t.Helper()
		for {
			select {
			case s := <-states:
				if s.Up == up {
					return s
				}
			case <-time.After(patience):
				t.Fatalf("the owner was not told of up=%v", up)
			}
		}
	}
	if s := until(true); s.Welcome.Name != "tab" {
		t.Errorf("welcome: %+v", s.Welcome)
	}
	if name := (<-h.names); name != "" {
		t.Errorf("the first hello asks for %q", name)
	}
	for range 5 {
		h.stop()
		if s := until(false); s.Err == nil {
			t.Error("down without a reason")
		}
		h.start()
		until(true)
		if name := (<-h.names); name != "tab" {
			t.Errorf("the name that the hub gave is not asked for again, but %q", name)
		}
	}
}

// stuck is a wire that swallows everything once it is told to, as after a sleep or in a network
// that has changed.
type stuck struct {
	net.Conn
	dead *atomic.Bool
}

func (s stuck) Write(p []byte) (int, error) {
	if s.dead.Load() {
		return len(p), nil
	}
	return s.Conn.Write(p)
}

func TestNudgeFindsADeadWire(t *testing.T) {
	h := newHub(t, Options{})
	var dead atomic.Pointer[atomic.Bool]
	c := &Client{
		Hello: Hello{Instance: testInstance, Secret: testSecret}, Options: echoes(),
		Dial: func(ctx context.Context) (net.Conn, error) {
			conn, err := h.dial(ctx)
			flag := new(atomic.Bool)
			dead.Store(flag)
			return stuck{conn, flag}, err
		},
	}
	run(t, c)
	s := h.next()
	c.Nudge() // a wire that answers stays
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("after a nudge: %v", err)
	}
	dead.Load().Store(true)
	c.Nudge()
	h.next()
}

func TestRefusedForGood(t *testing.T) {
	h := newHub(t, Options{})
	c := &Client{Dial: h.dial, Hello: Hello{Instance: testInstance, Secret: "wrong"}}
	err := c.Run(t.Context())
	r, ok := errors.AsType[*Refusal](err)
	if !ok || !r.Final || r.Reason != "the pairing secret is wrong" {
		t.Errorf("%v", err)
	}
}

func TestClientEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dialled := make(chan struct{}, 1)
	c := &Client{Dial: func(ctx context.Context) (net.Conn, error) {
		dialled <- struct{}{}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	<-dialled
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
