package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/yamux"
)

// slowEnd is a wire on whose Close yamux waits: as long as that takes, its session has ended and its
// streams have not.
type slowEnd struct {
	net.Conn
	closing, end chan struct{}
}

func (c *slowEnd) Close() error {
	close(c.closing)
	<-c.end
	return c.Conn.Close()
}

// Who reads and writes streams leaves a session that ends before yamux has got round to its stream: in
// between, yamux goes round and round.
func TestNobodyWaitsInASessionThatEnds(t *testing.T) {
	near, far := net.Pipe()
	wire := &slowEnd{near, make(chan struct{}), make(chan struct{})}
	const each = 8
	ended := make(chan error, 3*each)
	var handled atomic.Int32
	s, err := newSession(wire, false, Options{
		Authorise: func(Header) error { return nil },
		Handle: func(_ context.Context, _ Header, c net.Conn) {
			handled.Add(1)
			_, err := io.Copy(io.Discard, c)
			if err == nil {
				err = io.EOF
			}
			ended <- err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(t.Context()) }()
	mux, err := yamux.Client(far, yamuxConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer mux.Close()
	for range each {
		stream, err := s.Open(Header{KindAPI, ""})
		if err != nil {
			t.Fatal(err)
		}
		go func() { // waits for the verdict
			_, err := stream.Read(make([]byte, 1))
			ended <- err
		}()
		go func() { // waits for room in the window
			_, err := stream.Write(make([]byte, 1<<20))
			ended <- err
		}()
		theirs, err := mux.OpenStream()
		if err != nil {
			t.Fatal(err)
		}
		if err := (Header{KindAPI, ""}).write(theirs); err != nil {
			t.Fatal(err)
		}
		silent, err := mux.OpenStream() // its header is waited for
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
	}
	for end := time.Now().Add(patience); handled.Load() < each || s.serving.Load() < 2*each; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d streams are handled, %d streams are served", handled.Load(), s.serving.Load())
		}
	}
	closed := make(chan struct{})
	go func() { defer close(closed); _ = s.Close() }()
	<-wire.closing
	// From here to close(wire.end) yamux has ended the session and closed no stream.
	for range cap(ended) {
		select {
		case err := <-ended:
			if !errors.Is(err, ErrLost) {
				t.Errorf("a stream ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("somebody still waits")
		}
	}
	for end := time.Now().Add(patience); s.serving.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d streams are served still", s.serving.Load())
		}
	}
	close(wire.end)
	<-closed
	<-served
}

// A deadline that is set when the session has ended, or a stream that is opened just then, waits for
// nobody either.
func TestADeadlineDoesNotOutliveTheSession(t *testing.T) {
	s, _ := pair(t, echoes(), Options{})
	early, late := s.streams.keep(must(s.mux.OpenStream())), must(s.mux.OpenStream())
	s.streams.wake()
	if err := early.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	for name, st := range map[string]*stream{"kept before": early, "kept after": s.streams.keep(late)} {
		if _, err := st.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: something was read", name)
		}
		_ = st.Close()
	}
	if len(s.streams.kept) > 0 {
		t.Errorf("%d streams are kept", len(s.streams.kept))
	}
}

func must(s *yamux.Stream, err error) *yamux.Stream {
	if err != nil {
		panic(err)
	}
	return s
}
