package wsdial

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// fake is a conn without a socket: what arrives is what the test says.
func fake() *conn {
	return &conn{url: "ws://test", wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

func TestReadsAcrossMessages(t *testing.T) {
	c := fake()
	for _, m := range []string{"ab", "", "cde", "f"} {
		c.receive([]byte(m))
	}
	c.end("bye")
	got, err := io.ReadAll(io.MultiReader(io.LimitReader(c, 4), c))
	if err != nil || string(got) != "abcdef" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAReadWaitsForAMessage(t *testing.T) {
	c := fake()
	time.AfterFunc(5*time.Millisecond, func() { c.receive([]byte("x")) })
	b := make([]byte, 8)
	if n, err := c.Read(b); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestADeadlineEndsARead(t *testing.T) {
	c := fake()
	time.AfterFunc(5*time.Millisecond, func() { c.SetReadDeadline(time.Unix(1, 0)) })
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
	c.SetReadDeadline(time.Time{})
	c.receive([]byte("x"))
	if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("after the deadline was taken away: %d, %v", n, err)
	}
}

// Nobody's pace is told to the other side: one that sends without end loses the connection, be it in
// large messages or in empty ones.
func TestAFloodEndsTheConnection(t *testing.T) {
	for name, size := range map[string]int{"large messages": 1 << 20, "empty ones": 0} {
		c := fake()
		message := make([]byte, size)
		for range maxQueue/(size+messageCost) + 8 {
			c.receive(message)
		}
		if n := len(c.queue); n > 0 {
			t.Errorf("%s: %d are kept", name, n)
		}
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.reason == "" {
			t.Errorf("%s: the connection has not ended", name)
		}
	}
	c := fake()
	for range 3 * maxQueue >> 20 { // what is read does not count
		c.receive(make([]byte, 1<<20))
		if _, err := io.ReadFull(c, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
}

// Node has had a WebSocket since version 22; older ones end the dial with a clear error.
func TestAnUnreachableHub(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if c, err := Dial(ctx, "ws://127.0.0.1:1/hub/v1/tunnel"); err == nil {
		c.Close()
		t.Error("somebody answered")
	}
}
