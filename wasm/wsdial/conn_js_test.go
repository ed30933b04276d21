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

// Node has had a WebSocket since version 22; older ones end the dial with a clear error.
func TestAnUnreachableHub(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if c, err := Dial(ctx, "ws://127.0.0.1:1/hub/v1/tunnel"); err == nil {
		c.Close()
		t.Error("somebody answered")
	}
}
