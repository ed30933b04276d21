package proxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/tabernetes/tabernetes/nodehost/share"
)

// failing is a listener whose first Accepts fail, as without a file descriptor left.
type failing struct {
	net.Listener
	mu    sync.Mutex
	times int
}

func (f *failing) Accept() (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.times > 0 {
		f.times--
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

// told is a log that is read while it is written.
type told struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *told) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *told) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// testDoor serves on loopback; dials are told on a channel, and lead to an end that says nothing.
func testDoor(t *testing.T, fail int) (address string, dialled chan net.Conn, said *told) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dialled, said = make(chan net.Conn, 10*perNode), &told{}
	d := &APIForwarder{
		options: APIForwarderOptions{
			Dial: func(context.Context) (net.Conn, error) {
				ours, theirs := net.Pipe()
				dialled <- theirs
				return ours, nil
			},
			Local: func(context.Context, netip.Addr) bool { return true },
			Log:   slog.New(slog.NewTextHandler(said, nil)),
		},
		shares:     share.Shares{PerCaller: perCaller, All: perNode},
		complaints: rate.Sometimes{First: 2},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.serve(ctx, &failing{Listener: l, times: fail})
	}()
	t.Cleanup(func() { cancel(); _ = l.Close(); <-ended })
	return l.Addr().String(), dialled, said
}

// A pod that opens connections without end and says nothing has its share of them, and its neighbours
// come in; when it goes, they are there again.
func TestAFloodOfOnePod(t *testing.T) {
	address, dialled, said := testDoor(t, 0)
	from := func(ip string) net.Conn {
		t.Helper()
		c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}).Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	var flood []net.Conn
	for range 4 * perCaller {
		flood = append(flood, from("127.0.0.2"))
	}
	for range perCaller {
		<-dialled
	}
	refused := 0
	for _, c := range flood[perCaller:] {
		if _, err := c.Read(make([]byte, 1)); err != nil && !errors.Is(err, net.ErrClosed) {
			refused++
		}
	}
	if refused != 3*perCaller || len(dialled) != 0 {
		t.Errorf("%d of %d connections are refused, %d more led to the tunnel", refused, 3*perCaller, len(dialled))
	}
	if lines := strings.Count(said.String(), "\n"); lines > 2 {
		t.Errorf("the log has %d lines:\n%s", lines, said)
	}
	other := from("127.0.0.3")
	far := <-dialled
	go func() { _, _ = far.Write([]byte("x")) }()
	if _, err := io.ReadFull(other, make([]byte, 1)); err != nil {
		t.Errorf("a neighbour: %v", err)
	}
	for _, c := range flood {
		_ = c.Close()
	}
	for end := time.Now().Add(20 * time.Second); ; { // its share comes back
		if time.Now().After(end) {
			t.Fatal("no share came back")
		}
		if _, err := from("127.0.0.2").Write([]byte("x")); err != nil {
			continue
		}
		select {
		case <-dialled:
			return
		default:
		}
	}
}

// Accept fails for a while, and then there are file descriptors again: the listener is not dead.
func TestAcceptErrorsEndNothing(t *testing.T) {
	address, dialled, _ := testDoor(t, 5)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	<-dialled
}
