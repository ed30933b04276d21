package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// counting counts what its connections have read.
type counting struct {
	net.Listener
	read atomic.Int64
}

func (l *counting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, l}, err
}

type countingConn struct {
	net.Conn
	of *counting
}

func (c countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.of.read.Add(int64(n))
	return n, err
}

func answering() *http.Server {
	return &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })}
}

// A header without end is not read to its end, on each listener that serve has.
func TestAHeaderWithoutEnd(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	counted := &counting{Listener: ln}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- serveHTTP(ctx, answering(), bounded(counted)) }()
	defer func() { stop(); <-served }()

	for name, header := range map[string]string{
		"one long line": "X: " + strings.Repeat("a", 4<<20),
		"many lines":    strings.Repeat("X: aaaaaaaa\r\n", 400_000),
		"a long path":   "", // of the request line
	} {
		t.Run(name, func(t *testing.T) {
			path := "/"
			if header == "" {
				path += strings.Repeat("a", 4<<20)
			}
			before := counted.read.Load()
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
			go func() { _, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", path, header) }()
			answer, _ := io.ReadAll(conn) // its end may be a reset
			if len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 431 ") {
				t.Errorf("it is answered %.100s", answer)
			}
			if n := counted.read.Load() - before; n > int64(2*everyServers.bytes) {
				t.Errorf("%d bytes of it were read", n)
			}
		})
	}
}

// Who does not finish a header, or says nothing more after a request, loses the connection.
func TestWhoDoesNotGoOn(t *testing.T) {
	for name, c := range map[string]struct {
		say    string
		bounds bounds
	}{
		"half a header":   {"GET / HTTP/1.1\r\nHost: ", bounds{header: time.Millisecond, idle: time.Hour, bytes: 4 << 10}},
		"after a request": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", bounds{header: time.Hour, idle: time.Millisecond, bytes: 4 << 10}},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := answering()
		c.bounds.set(s)
		go func() { _ = s.Serve(ln) }()
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, c.say); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.ReadAll(conn); err != nil {
			t.Errorf("%s: the connection stays: %v", name, err)
		}
		_ = conn.Close()
		_ = s.Close()
	}
	if b := everyServers; b.header <= 0 || b.idle <= 0 || b.bytes <= 0 {
		t.Errorf("a server without bounds: %+v", b)
	}
}
