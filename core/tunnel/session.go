package tunnel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"
)

// Handler serves a stream that the other side opened and that was authorised. The stream is
// the handler's: it closes it.
type Handler func(ctx context.Context, h Header, stream net.Conn)

// Authoriser is asked for each stream that the other side opens, before anything that it sent
// is looked at; an error refuses the stream, and is told to the other side.
type Authoriser func(Header) error

// Options of a session. The zero value holds DefaultMaxStreams streams and refuses all that
// the other side opens.
type Options struct {
	// Authorise nil refuses every stream that the other side opens.
	Authorise Authoriser
	// Handle serves what was authorised.
	Handle Handler
	// MaxStreams is how many streams, of both sides, may be open. Default DefaultMaxStreams.
	MaxStreams int
	// Log gets what goes wrong with a stream; nil drops it. No content is ever logged.
	Log *slog.Logger
}

// Session is a tunnel after its hello. Both sides may open streams.
type Session struct {
	mux     *yamux.Session
	streams streams
	opts    Options
	// open counts streams that were opened here and not closed yet.
	open atomic.Int64
	// serving counts streams of the other side that are being served.
	serving atomic.Int64
	// max is Options.MaxStreams, or what SetMaxStreams said.
	max atomic.Int64
}

func newSession(wire net.Conn, dialled bool, o Options) (*Session, error) {
	if o.MaxStreams == 0 {
		o.MaxStreams = DefaultMaxStreams
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = Sparing(o.Log)
	config := yamux.DefaultConfig()
	config.KeepAliveInterval = keepalive
	config.ConnectionWriteTimeout = writePatience
	config.StreamCloseTimeout = closePatience
	config.LogOutput, config.Logger = nil, quiet{o.Log}
	build := yamux.Server
	if dialled {
		build = yamux.Client
	}
	s := &Session{opts: o}
	var err error
	s.mux, err = build(&waking{&gather{Conn: &meter{Conn: wire}}, &s.streams}, config)
	if err != nil {
		return nil, fmt.Errorf("start the tunnel's session: %w", err)
	}
	s.max.Store(int64(o.MaxStreams))
	return s, nil
}

// SetMaxStreams changes how many streams may be open. Those that are open stay.
func (s *Session) SetMaxStreams(n int) { s.max.Store(int64(n)) }

// NewHubSession makes a session of a wire that was accepted.
func NewHubSession(wire net.Conn, o Options) (*Session, error) { return newSession(wire, false, o) }

// Dial says hello on a wire that was dialled and makes a session of it. The wire is closed if
// that fails.
func Dial(ctx context.Context, wire net.Conn, h Hello, o Options) (*Session, Welcome, error) {
	w, err := greet(ctx, wire, h)
	if err != nil {
		return nil, w, errors.Join(err, wire.Close())
	}
	s, err := newSession(wire, true, o)
	if err != nil {
		return nil, w, errors.Join(err, wire.Close())
	}
	return s, w, nil
}

// Done is closed when the session has ended; every stream of it is then reset.
func (s *Session) Done() <-chan struct{} { return s.mux.CloseChan() }

// Close ends the session and resets its streams.
func (s *Session) Close() error { return s.mux.Close() }

// Streams is how many streams are open.
func (s *Session) Streams() int { return s.mux.NumStreams() }

// Ping asks the other side for a sign of life; it fails when ctx is done first.
func (s *Session) Ping(ctx context.Context) error {
	answer := make(chan error, 1)
	go func() {
		_, err := s.mux.Ping()
		answer <- err
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Open opens a stream. It does not wait for the other side's verdict: a refusal is the error
// of the first Read, a *StreamRefusal.
func (s *Session) Open(h Header) (net.Conn, error) {
	if most := s.max.Load(); s.open.Add(1) > most {
		s.open.Add(-1)
		return nil, fmt.Errorf("open a stream: %d are open, more are not allowed", most)
	}
	if s.mux.NumStreams() >= s.mayOpen() {
		s.open.Add(-1)
		return nil, errors.New("open a stream: the other side does not close those that have ended")
	}
	y, err := s.mux.OpenStream()
	if err != nil {
		s.open.Add(-1)
		return nil, fmt.Errorf("open a stream: %w", err)
	}
	o := &opened{stream: s.streams.keep(y), session: s}
	if err := h.write(o); err != nil {
		return nil, errors.Join(fmt.Errorf("open a stream: %w", err), o.Close())
	}
	return o, nil
}

// Serve serves what the other side opens until the session or ctx ends.
func (s *Session) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	for {
		y, err := s.mux.AcceptStream()
		if err != nil {
			return fmt.Errorf("serve the tunnel: %w", err)
		}
		// What is refused or has been served keeps some memory until the other side has closed its
		// half, too: whoever goes on in spite of that is not counted on any more.
		if s.mux.NumStreams() > s.mayKeep() {
			return errors.Join(errors.New("serve the tunnel: the other side opens streams without end"), s.Close())
		}
		if s.serving.Load() >= s.max.Load() {
			_ = y.Close()
			continue
		}
		s.serving.Add(1)
		go func() {
			defer s.serving.Add(-1)
			s.serve(ctx, s.streams.keep(y))
		}()
	}
}

func (s *Session) serve(ctx context.Context, stream *stream) {
	_ = stream.SetDeadline(time.Now().Add(headerPatience))
	h, err := readHeader(stream)
	if err != nil {
		s.opts.Log.Info("a stream without a header is dropped", "error", err)
		_ = stream.Close()
		return
	}
	if err := s.authorise(h); err != nil {
		s.opts.Log.Info("a stream is refused", "kind", h.Kind, "error", err)
		if _, werr := stream.Write([]byte{verdictRefused}); werr == nil {
			_ = writeMessage(stream, err.Error(), maxHello)
		}
		_ = stream.Close()
		return
	}
	if _, err := stream.Write([]byte{verdictTaken}); err != nil {
		_ = stream.Close()
		return
	}
	_ = stream.SetDeadline(time.Time{})
	s.opts.Handle(ctx, h, &accepted{stream: stream, from: addrOf(h, stream)})
}

func (s *Session) authorise(h Header) error {
	if s.opts.Authorise == nil || s.opts.Handle == nil {
		return errors.New("this side takes no streams")
	}
	return s.opts.Authorise(h)
}

// opened is a stream of this side. Its first Read takes the verdict first.
type opened struct {
	*stream
	session *Session
	judged  bool // read by the one reader only
	closed  atomic.Bool
}

func (o *opened) Read(p []byte) (int, error) {
	if !o.judged {
		if err := readVerdict(o.stream); err != nil {
			if _, refused := errors.AsType[*StreamRefusal](err); !refused && o.Session().IsClosed() {
				err = ErrLost
			}
			return 0, err
		}
		o.judged = true
	}
	return o.stream.Read(p)
}

func (o *opened) Close() error {
	if o.closed.CompareAndSwap(false, true) {
		o.session.open.Add(-1)
	}
	return o.stream.Close()
}

// accepted is a stream of the other side, which comes from where its header says.
type accepted struct {
	*stream
	from net.Addr
}

// RemoteAddr is the client's address, as the hub says.
func (a *accepted) RemoteAddr() net.Addr { return a.from }

func addrOf(h Header, stream *stream) net.Addr {
	if h.Kind == KindAPI {
		if from, err := netip.ParseAddrPort(h.Target); err == nil {
			return net.TCPAddrFromAddrPort(from)
		}
	}
	return stream.RemoteAddr()
}

// quiet is yamux' logger.
type quiet struct{ log *slog.Logger }

func (q quiet) Print(v ...any) { q.say(func() string { return fmt.Sprint(v...) }) }
func (q quiet) Printf(format string, v ...any) {
	q.say(func() string { return fmt.Sprintf(format, v...) })
}
func (q quiet) Println(v ...any) { q.Print(v...) }

// say formats only what is read: a peer can cause a line with each frame.
func (q quiet) say(text func() string) {
	if q.log.Enabled(context.Background(), slog.LevelDebug) {
		q.log.Debug("yamux", "says", text())
	}
}
