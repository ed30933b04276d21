package egress

import (
	"context"
	"io"
	"net"
	"testing"
	"time"
)

// What a kubelet says last is heard although the client still speaks when it has closed: how an exec has ended.
func TestAKubeletsLastWords(t *testing.T) {
	const last = "how it ended"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.ReadFull(c, make([]byte, 1))
		_, _ = io.WriteString(c, last)
		c.Close()
	}()
	r := NewRouter()
	r.Handle("node-1", func(ctx context.Context, network, _ string) (net.Conn, error) {
		return r.direct(ctx, network, l.Addr().String())
	})
	c, err := r.DialAsServer(t.Context(), "tcp", "node-1:"+kubeletPort)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "!"); err != nil {
		t.Fatal(err)
	}
	<-closed
	for range 20 { // the first of them only has the other side say that it has gone
		if _, err := io.WriteString(c, "that was all"); err != nil {
			t.Fatalf("write to a kubelet that has closed: %v", err)
		}
		time.Sleep(time.Millisecond)
	}
	got := make([]byte, len(last))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != last {
		t.Fatalf("read %q: %v", got, err)
	}
	if n, err := c.Read(got); err == nil {
		t.Errorf("read %d bytes more: nobody is told that it has gone", n)
	}
}
