package uplink

import (
	"context"
	"io"
	"net"
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
			if n, err := client.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("read %d bytes, %v; want its end", n, err)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
