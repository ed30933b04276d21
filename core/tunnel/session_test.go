package tunnel

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

func TestStreamsCarryBytesBothWays(t *testing.T) {
	s, _ := pair(t, echoes(), Options{})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			stream, err := s.Open(Header{KindAPI, "127.0.0.1:1"})
			if err != nil {
				t.Error(err)
				return
			}
			defer stream.Close()
			sent := make([]byte, 300<<10+i) // more than a window
			rand.Read(sent)
			go func() {
				stream.Write(sent)
				stream.(interface{ CloseWrite() error }).CloseWrite()
			}()
			got, err := io.ReadAll(stream)
			if err != nil || sha256.Sum256(got) != sha256.Sum256(sent) {
				t.Errorf("stream %d: %d bytes of %d came back: %v", i, len(got), len(sent), err)
			}
		})
	}
	all.Wait()
}

func TestTheClientsAddressArrives(t *testing.T) {
	from := make(chan string, 1)
	s, _ := pair(t, Options{
		Authorise: func(Header) error { return nil },
		Handle:    func(_ context.Context, _ Header, c net.Conn) { from <- c.RemoteAddr().String(); c.Close() },
	}, Options{})
	stream, err := s.Open(Header{KindAPI, "192.0.2.7:4321"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if got := <-from; got != "192.0.2.7:4321" {
		t.Errorf("the stream comes from %s", got)
	}
}

func TestAuthoriserIsAskedFirst(t *testing.T) {
	o := echoes()
	o.Authorise = func(h Header) error {
		if h.Kind != KindAPI {
			return errors.New("only the apiserver is offered")
		}
		return nil
	}
	o.Handle = func(_ context.Context, h Header, c net.Conn) {
		if h.Kind != KindAPI {
			t.Errorf("%+v was handled", h)
		}
		c.Close()
	}
	s, c := pair(t, o, Options{})
	stream, err := s.Open(Header{Kind(77), "anything"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	_, err = stream.Read(make([]byte, 1))
	refusal, ok := errors.AsType[*StreamRefusal](err)
	if !ok || refusal.Reason != "only the apiserver is offered" {
		t.Errorf("read: %v", err)
	}
	// The hub takes nothing, whatever it is.
	up, err := c.Session().Open(Header{KindAPI, ""})
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	if _, err = up.Read(make([]byte, 1)); !errors.As(err, &refusal) {
		t.Errorf("the hub took a stream: %v", err)
	}
}

func TestCall(t *testing.T) {
	gone := make(chan error, 1)
	s, _ := pair(t, Options{
		Authorise: func(Header) error { return nil },
		Handle: func(ctx context.Context, h Header, c net.Conn) {
			ServeCall(ctx, c, func(ctx context.Context, q json.RawMessage) (any, error) {
				switch h.Target {
				case "double":
					var n int
					if err := json.Unmarshal(q, &n); err != nil {
						return nil, err
					}
					return 2 * n, nil
				case "long":
					return string(make([]byte, MaxMessage)), nil
				case "wait":
					<-ctx.Done()
					gone <- context.Cause(ctx)
					return nil, nil
				}
				return nil, fmt.Errorf("there is no method %q", h.Target)
			})
		},
	}, Options{})
	var got int
	if err := s.Call(t.Context(), "double", 21, &got); err != nil || got != 42 {
		t.Errorf("double: %d, %v", got, err)
	}
	if err := s.Call(t.Context(), "absent", 21, &got); err == nil || err.Error() != `there is no method "absent"` {
		t.Errorf("absent: %v", err)
	}
	if err := s.Call(t.Context(), "double", string(make([]byte, MaxMessage)), &got); err == nil {
		t.Error("a question that is too long was asked")
	}
	if err := s.Call(t.Context(), "long", 1, &got); err == nil {
		t.Error("an answer that is too long was taken")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	impatient := errors.New("no more time")
	time.AfterFunc(20*time.Millisecond, func() { cancel(impatient) })
	if err := s.Call(ctx, "wait", 1, &got); !errors.Is(err, impatient) {
		t.Errorf("wait: %v", err)
	}
	if err := <-gone; err == nil {
		t.Error("the other side does not know that the caller has gone")
	}
}

func TestStreamsAreCounted(t *testing.T) {
	s, _ := pair(t, echoes(), Options{MaxStreams: 3})
	var open []net.Conn
	for range 3 {
		stream, err := s.Open(Header{KindAPI, ""})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, stream)
	}
	if _, err := s.Open(Header{KindAPI, ""}); err == nil {
		t.Error("a fourth stream opened")
	}
	open[0].Close()
	open[0].Close()
	stream, err := s.Open(Header{KindAPI, ""})
	if err != nil {
		t.Errorf("after one was closed: %v", err)
	} else {
		stream.Close()
	}
	for _, o := range open {
		o.Close()
	}
}

// Whoever opens streams without end loses the session, and nothing else.
func TestEndlessStreams(t *testing.T) {
	s, c := pair(t, Options{MaxStreams: 1 << 20}, Options{
		MaxStreams: 8,
		Authorise:  func(Header) error { return nil },
		Handle:     func(_ context.Context, _ Header, c net.Conn) { io.Copy(io.Discard, c) },
	})
	own := c.Session()
	go func() {
		for {
			stream, err := own.Open(Header{KindAPI, ""})
			if err != nil {
				return
			}
			_ = stream // never closed
		}
	}()
	select {
	case <-s.Done():
	case <-time.After(patience):
		t.Fatalf("%d streams are open, and the session still is", s.Streams())
	}
}

func TestSplicePassesHalfACloseOn(t *testing.T) {
	s, _ := pair(t, Options{
		Authorise: func(Header) error { return nil },
		Handle: func(_ context.Context, _ Header, c net.Conn) {
			got, _ := io.ReadAll(c) // until the client's half is closed
			fmt.Fprintf(c, "%d bytes", len(got))
			c.Close()
		},
	}, Options{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	spliced := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			spliced <- err
			return
		}
		stream, err := s.Open(Header{KindAPI, ""})
		if err != nil {
			spliced <- err
			return
		}
		spliced <- Splice(conn, stream)
	}()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.Write(bytes.Repeat([]byte("x"), 700<<10))
	conn.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != fmt.Sprintf("%d bytes", 700<<10) {
		t.Errorf("%q, %v", got, err)
	}
	if err := <-spliced; err != nil {
		t.Errorf("splice: %v", err)
	}
}

// A Read that waits ends when its stream is closed on this side.
func TestCloseEndsARead(t *testing.T) {
	s, _ := pair(t, echoes(), Options{})
	stream, err := s.Open(Header{KindAPI, ""})
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := stream.Read(make([]byte, 1))
		read <- err
	}()
	stream.Close()
	select {
	case err := <-read:
		if err == nil {
			t.Error("something was read")
		}
	case <-time.After(patience):
		t.Error("the Read still waits")
	}
}

// On js nothing takes the processor from a goroutine that goes round and round: there the whole tab
// would end here.
func TestTheEndOfASessionEndsReads(t *testing.T) {
	s, _ := pair(t, echoes(), Options{})
	ended := make(chan error, 8)
	for range cap(ended) {
		stream, err := s.Open(Header{KindAPI, ""})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := io.Copy(io.Discard, stream)
			ended <- err
		}()
	}
	if err := s.Ping(t.Context()); err != nil { // by then they wait
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range cap(ended) {
		select {
		case err := <-ended:
			if !errors.Is(err, ErrLost) {
				t.Errorf("a Read ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("a Read still waits")
		}
	}
}

// net/http interrupts a Read by a deadline when a connection is upgraded, and goes on reading:
// for TLS the error must be one that passes.
func TestAnInterruptedReadGoesOn(t *testing.T) {
	streams := make(chan net.Conn, 1)
	s, _ := pair(t, Options{
		Authorise: func(Header) error { return nil },
		Handle:    func(_ context.Context, _ Header, c net.Conn) { streams <- c },
	}, Options{})
	near, err := s.Open(Header{KindAPI, ""})
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	far := <-streams
	defer far.Close()
	for name, side := range map[string][2]net.Conn{"opened": {near, far}, "accepted": {far, near}} {
		reader, writer := side[0], side[1]
		interrupted := make(chan error, 1)
		go func() {
			_, err := reader.Read(make([]byte, 1))
			interrupted <- err
		}()
		time.Sleep(time.Millisecond)
		reader.SetReadDeadline(time.Unix(1, 0))
		var timeout net.Error
		if err := <-interrupted; !errors.As(err, &timeout) || !timeout.Timeout() || !timeout.Temporary() { //nolint:staticcheck // crypto/tls asks whether it is temporary
			t.Errorf("%s: the interruption is %v", name, err)
		}
		reader.SetReadDeadline(time.Time{})
		go writer.Write([]byte("x"))
		if n, err := reader.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("%s: afterwards: %d, %v", name, n, err)
		}
	}
}
