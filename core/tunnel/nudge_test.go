package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhatANudgeFinds has hubs that answer a ping and a dial some time after the nudge, in a time of the test's own.
func TestWhatANudgeFinds(t *testing.T) {
	const never = 24 * time.Hour
	for name, c := range map[string]struct {
		ping, dial time.Duration
		gone       bool          // is what the ping says in the end
		refuses    bool          // the dial
		dead       bool          // the wire is found to be
		most       time.Duration // that it may take
	}{
		"a wire that answers":                 {ping: time.Millisecond, dial: never, most: time.Millisecond},
		"a hub that is late":                  {ping: 5 * time.Second, dial: 5 * time.Second, most: 5 * time.Second},
		"one that takes the new wire first":   {ping: 5 * time.Second, dial: 4 * time.Second, most: 5 * time.Second},
		"a dead wire, and a hub that answers": {ping: never, dial: 0, dead: true, most: 3 * time.Second},
		"a hub that is gone":                  {ping: never, dial: 0, refuses: true, dead: true, most: 3 * time.Second},
		"a new wire, and the old one behind":  {ping: 9 * time.Second, dial: 6 * time.Second, most: 9 * time.Second},
		"a network that leads nowhere":        {ping: writePatience, gone: true, dial: never, dead: true, most: writePatience},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				at := func(ctx context.Context, d time.Duration) error {
					select {
					case <-time.After(time.Until(began.Add(d))):
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}
				near, far := net.Pipe()
				defer near.Close()
				dialled := false
				client := &Client{Dial: func(ctx context.Context) (net.Conn, error) {
					if err := at(ctx, c.dial); err != nil {
						return nil, err
					}
					if c.refuses {
						return nil, errors.New("connection refused")
					}
					dialled = true
					return near, nil
				}}
				err := client.answers(t.Context(), func(ctx context.Context) error {
					if err := at(ctx, c.ping); err != nil || !c.gone {
						return err
					}
					return errors.New("no answer")
				})
				if took := time.Since(began); (err != nil) != c.dead || took > c.most {
					t.Errorf("after %s: %v", took, err)
				}
				synctest.Wait()
				if !dialled {
					return
				}
				if n, err := far.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
					t.Errorf("the new wire is not just closed: %d bytes, %v", n, err)
				}
			})
		})
	}
}

// paused is a wire on which nothing is read while its gate is locked, as from a hub that is stopped.
type paused struct {
	net.Conn
	gate *sync.RWMutex
}

func (p paused) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.gate.RLock()
	defer p.gate.RUnlock()
	return n, err
}

// A hub that was stopped for a while answers on the wire that there is as soon as on a new one: it stays.
func TestANudgeSparesALateHub(t *testing.T) {
	h := newHub(t, Options{})
	var gate sync.RWMutex
	asked, answer := make(chan struct{}, 64), make(chan struct{})
	defer close(answer)
	first := true
	c := &Client{
		Hello: Hello{Instance: testInstance, Secret: testSecret}, Options: echoes(),
		Dial: func(ctx context.Context) (net.Conn, error) {
			if !first {
				asked <- struct{}{}
				<-answer
			}
			first = false
			conn, err := h.dial(ctx)
			return paused{conn, &gate}, err
		},
	}
	run(t, c)
	s := h.next()
	if err := s.Ping(t.Context()); err != nil { // by now it is the client's session
		t.Fatal(err)
	}
	gate.Lock()
	c.Nudge()
	select {
	case <-asked:
	case <-s.Done():
	}
	gate.Unlock()
	if err := s.Ping(t.Context()); err != nil { // behind the answer to the nudge's
		t.Errorf("the session has ended: %v", err)
	}
}
