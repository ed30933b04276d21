package tunnel

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"
)

// ErrLost is the error of a stream whose session has ended, by whatever cause.
var ErrLost = errors.New("the tunnel is gone")

// past is a deadline that ends a Read or Write at once.
var past = time.Unix(1, 0)

// stream is a yamux stream with the errors of package net, on whose end nobody waits in yamux: see
// streams.
type stream struct {
	*yamux.Stream
	of *streams
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Stream.Read(p)
	return n, s.tell(err)
}

func (s *stream) Write(p []byte) (int, error) {
	n, err := s.Stream.Write(p)
	return n, s.tell(err)
}

// tell makes one of package net's errors of yamux'. Its timeout does not say that it is temporary, which
// crypto/tls takes for the end of the connection, although net/http sets a deadline in the past just to
// interrupt a Read before a connection is upgraded.
func (s *stream) tell(err error) error {
	switch {
	case err != nil && s.Session().IsClosed():
		return ErrLost // and not an orderly end, which yamux makes of it
	case errors.Is(err, yamux.ErrTimeout):
		return os.ErrDeadlineExceeded
	}
	return err
}

func (s *stream) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.SetWriteDeadline(t))
}

func (s *stream) SetReadDeadline(t time.Time) error {
	err := s.Stream.SetReadDeadline(t)
	if s.of.lost.Load() { // after it, so that whoever comes last says past
		err = s.Stream.SetReadDeadline(past)
	}
	return err
}

func (s *stream) SetWriteDeadline(t time.Time) error {
	err := s.Stream.SetWriteDeadline(t)
	if s.of.lost.Load() {
		err = s.Stream.SetWriteDeadline(past)
	}
	return err
}

// CloseWrite says that nothing more comes from this side; yamux' Close does just that, until
// the other side has closed, too.
func (s *stream) CloseWrite() error { return s.Stream.Close() }

// Close closes both directions for this side: yamux' Close leaves a Read waiting.
func (s *stream) Close() error {
	err := s.Stream.Close()
	_ = s.Stream.SetReadDeadline(past)
	s.of.forget(s)
	return err
}

// streams are those of a session that somebody may be reading or writing.
//
// A Read or Write that waits when its yamux session ends goes round and round until the session has
// closed that stream, one after the other; to close one takes a lock which such a Read takes in each
// round. A thousand of them kept two processors for minutes, and on js, where nothing is interrupted, for
// ever. So they are woken by their deadlines, which takes no lock: by the wire's Close, which yamux calls
// as the first thing whenever a session ends, and before it waits for anybody.
type streams struct {
	lost atomic.Bool
	mu   sync.Mutex
	kept map[*stream]struct{}
}

// keep makes a stream of yamux' one.
func (a *streams) keep(y *yamux.Stream) *stream {
	s := &stream{y, a}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil {
		a.kept = map[*stream]struct{}{}
	}
	a.kept[s] = struct{}{}
	if a.lost.Load() { // yamux does not close one that was opened just then
		_ = s.SetDeadline(past)
	}
	return s
}

func (a *streams) forget(s *stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.kept, s)
}

// wake ends every Read and Write that waits, now and from now on.
func (a *streams) wake() {
	a.lost.Store(true)
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.kept {
		_ = s.SetDeadline(past)
	}
}

// waking is a session's wire: its Close wakes first.
type waking struct {
	net.Conn
	streams *streams
}

func (w *waking) Close() error {
	w.streams.wake()
	return w.Conn.Close()
}
