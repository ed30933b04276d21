package crowd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// Who comes costs the oldest of his own source, or the oldest of the largest one; never somebody
// from where few come from.
func TestWhoGoes(t *testing.T) {
	c := Crowd{PerSource: 3, All: 6}
	var gone []string
	enter := func(source, name string) *Guest {
		return c.Enter(source, func() { gone = append(gone, name) })
	}
	quiet := enter("quiet", "quiet")
	known := enter("a", "a0")
	for i := 1; i <= 4; i++ {
		enter("a", fmt.Sprint("a", i))
	}
	if want := []string{"a0", "a1"}; !slices.Equal(gone, want) {
		t.Errorf("of one source %v have gone, want %v", gone, want)
	}
	known.Leave() // has gone already
	gone = nil
	enter("b", "b0")
	second := enter("b", "b1")
	second.Leave()
	second.Leave()
	enter("b", "b2")
	enter("c", "c0") // one too many of all
	if want := []string{"a2"}; !slices.Equal(gone, want) || c.Len() != 6 {
		t.Errorf("of all %v have gone, want %v; %d are here", gone, want, c.Len())
	}
	gone = nil
	for i := range 100 {
		enter(fmt.Sprint("flood ", i%2), "flood")
	}
	if slices.Contains(gone, "quiet") || c.Len() != 6 {
		t.Errorf("%v have gone, %d are here", gone, c.Len())
	}
	quiet.Leave()
	(*Guest)(nil).Leave()
}

func TestSources(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7:4321":              "192.0.2.7",
		"[::ffff:192.0.2.7]:4321":     "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:4321": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:4321":         "fe80::/64",
		"2001:db8::1":                 "2001:db8::/64",
		"@":                           "@",
		"":                            "",
	} {
		if got := Source(address); got != want {
			t.Errorf("%q comes from %q, want %q", address, got, want)
		}
	}
}

func listen(t *testing.T, crowd *Crowd, patience time.Duration) *Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return &Listener{ln, crowd, patience}
}

// A reader that takes nothing loses the connection.
func TestAReaderThatStandsStill(t *testing.T) {
	l := listen(t, &Crowd{PerSource: 9, All: 9}, 50*time.Millisecond)
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(make([]byte, 64<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the end: %v", err)
	}
}

// A reader that takes a little each time is served, however often the patience ends meanwhile.
func TestASlowReader(t *testing.T) {
	slow := &byPieces{left: 100}
	c := &conn{Conn: slow, patience: time.Hour}
	if n, err := c.Write(make([]byte, 100)); n != 100 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if slow.deadlines != 100 {
		t.Errorf("the deadline moved on %d times", slow.deadlines)
	}
	slow.left = 5
	if n, err := c.Write(make([]byte, 100)); n != 5 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the last progress: %d, %v", n, err)
	}
	slow.left = 100
	asked := time.Now().Add(time.Minute)
	if err := c.SetWriteDeadline(asked); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Write(make([]byte, 100)); n != 1 || !errors.Is(err, os.ErrDeadlineExceeded) || !slow.last.Equal(asked) {
		t.Errorf("with a deadline of its own: %d, %v, %s", n, err, slow.last)
	}
}

// byPieces takes one byte until each deadline, as long as some are left.
type byPieces struct {
	net.Conn
	left, deadlines int
	last            time.Time
}

func (b *byPieces) SetWriteDeadline(t time.Time) error {
	b.deadlines++
	b.last = t
	return nil
}

func (b *byPieces) Write(p []byte) (int, error) {
	if b.left == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	b.left--
	if len(p) == 1 {
		return 1, nil
	}
	return 1, os.ErrDeadlineExceeded
}

// Connections that nobody knows go when there are too many, those that are known stay.
func TestKnownConnectionsStay(t *testing.T) {
	l := listen(t, &Crowd{PerSource: 4, All: 8}, time.Minute)
	s := &http.Server{ConnContext: ConnContext, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/known" {
			Known(r.Context())
		}
		_, _ = io.WriteString(w, "hello")
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(l) })
	defer func() { _ = s.Close(); serving.Wait() }()
	dial := func() net.Conn {
		c, err := new(net.Dialer).DialContext(context.Background(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	ask := func(c net.Conn, path string) error {
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return err
		}
		_, err := c.Read(make([]byte, 4096))
		return err
	}
	known, stranger := dial(), dial()
	if err := errors.Join(ask(known, "/known"), ask(stranger, "/")); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := ask(dial(), "/"); err != nil {
			t.Errorf("a newcomer: %v", err)
		}
	}
	if err := ask(known, "/"); err != nil {
		t.Errorf("who is known: %v", err)
	}
	if err := ask(stranger, "/"); err == nil {
		t.Error("who was here longest and is not known is still here")
	}
	if n := l.Crowd.Len(); n > 4 {
		t.Errorf("%d are here", n)
	}
}
