package uplink

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// pair is a TCP connection's two ends.
func pair(t *testing.T) (near, far net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	near, err = net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if far, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near, far
}

// Who answers is known by the first byte; who ends a connection without one has not answered.
func TestWhetherAnybodyAnswers(t *testing.T) {
	for answer, want := range map[string]bool{"": false, "hello": true} {
		client, forwarder := pair(t)
		uplink, cluster := pair(t)
		told := 0
		ended := make(chan bool)
		go func() { ended <- splice(forwarder, uplink, func(bool) { told++ }) }()
		if _, err := client.Write([]byte("anybody?")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(cluster, make([]byte, len("anybody?"))); err != nil {
			t.Fatal(err)
		}
		if _, err := cluster.Write([]byte(answer)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(client, make([]byte, len(answer))); err != nil {
			t.Fatal(err)
		}
		_, _ = cluster.Close(), client.Close()
		if got := <-ended; got != want || told != map[bool]int{true: 1}[want] {
			t.Errorf("after the answer %q: %v, told %d times", answer, got, told)
		}
	}
}

// Without a tunnel a connection is held, and let go; nobody waits for a hub that has refused.
func TestConnectionsWithoutATunnel(t *testing.T) {
	for name, c := range map[string]struct {
		hold  time.Duration
		state tunnel.State
	}{
		"no tunnel":    {50 * time.Millisecond, tunnel.State{}},
		"a hub's no":   {time.Hour, tunnel.State{Err: &tunnel.Refusal{}}},
		"a lost one's": {50 * time.Millisecond, tunnel.State{Err: io.EOF}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := New(Options{Hub: "http://127.0.0.1:1"})
			if err != nil {
				t.Fatal(err)
			}
			l.hold, l.state = c.hold, c.state
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- l.Forward(ctx, ln) }()
			client, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if n, err := client.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("read %d bytes, %v; want its end", n, err)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// exhausted is a listener of a machine that has no file descriptors left for a while.
type exhausted struct {
	net.Listener
	errors int
}

func (e *exhausted) Accept() (net.Conn, error) {
	if e.errors > 0 {
		e.errors--
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	}
	return e.Listener.Accept()
}

// forwarding has a link without a tunnel forward until the test ends; dial is a client's way to it.
func forwarding(t *testing.T, wrap func(net.Listener) net.Listener) (dial func() net.Conn) {
	t.Helper()
	l, err := New(Options{Hub: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	l.hold = time.Hour
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Forward(ctx, wrap(ln)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return func() net.Conn {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
}

// Without file descriptors nobody is let in, and nothing ends: the test's end is Forward's.
func TestNoFileDescriptors(t *testing.T) {
	dial := forwarding(t, func(ln net.Listener) net.Listener { return &exhausted{ln, 3} })
	first := dial()
	for range maxHeld {
		dial() // each waits, until the first one has to go: all were accepted
	}
	_ = first.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := first.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the first one: %v", err)
	}
}

// What waits for a tunnel is bounded, in goroutines, too; the one that has waited longest goes.
func TestConnectionsThatWait(t *testing.T) {
	before := runtime.NumGoroutine()
	dial := forwarding(t, func(ln net.Listener) net.Listener { return ln })
	const more = 500
	var all []net.Conn
	for range maxHeld + more {
		all = append(all, dial())
	}
	for i, c := range all[:more] {
		_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Fatalf("connection %d: %v", i, err)
		}
	}
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before+2*maxHeld; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there are %d goroutines more", runtime.NumGoroutine()-before)
		}
	}
}
