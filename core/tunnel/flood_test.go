package tunnel

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/yamux"
)

// serveWire serves one end of a pipe as the side that was dialled, or dialled, and returns the other
// end, on which nothing is buffered: what is not read there waits.
func serveWire(t *testing.T, dialled bool, o Options) (*Session, net.Conn) {
	near, far := net.Pipe()
	s, err := newSession(near, dialled, o)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(context.Background()) }()
	t.Cleanup(func() { _, _ = s.Close(), far.Close(); <-served })
	return s, far
}

// Who sends pings and does not read the answers has neither goroutines nor memory of the other side:
// it loses the session, be it a tab's, a node's or a hub's.
func TestPingsWithoutEnd(t *testing.T) {
	const flood = 20_000
	for name, dialled := range map[string]bool{"at the hub": false, "at a tab or node": true} {
		t.Run(name, func(t *testing.T) {
			s, far := serveWire(t, dialled, echoes())
			before, heap := runtime.NumGoroutine(), heapInUse()
			var sent int
			for ; sent < flood; sent++ {
				ping := []byte{0, typePing, 0, flagSYN, 0, 0, 0, 0}
				if _, err := far.Write(binary.BigEndian.AppendUint32(ping, uint32(sent))); err != nil {
					break
				}
			}
			if now := runtime.NumGoroutine(); now > before+2*maxPings {
				t.Errorf("after %d pings there are %d goroutines more", sent, now-before)
			}
			if now := heapInUse(); now > heap+4<<20 {
				t.Errorf("after %d pings the heap has grown by %d bytes", sent, now-heap)
			}
			if sent == flood {
				t.Fatalf("%d pings were taken", sent)
			}
			select {
			case <-s.Done():
			case <-time.After(patience):
				t.Error("the session goes on")
			}
		})
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// Pings that are answered are no matter, however many they are and however frames are cut.
func TestPingsThatAreAnswered(t *testing.T) {
	near, far := net.Pipe()
	s, err := newSession(near, false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Close(), far.Close() })
	answer := make([]byte, frameHeader)
	for i := range 10 * maxPings {
		ping := binary.BigEndian.AppendUint32([]byte{0, typePing, 0, flagSYN, 0, 0, 0, 0}, uint32(i))
		go func() {
			for cut := range ping {
				_, _ = far.Write(ping[cut : cut+1])
			}
		}()
		if _, err := io.ReadFull(far, answer); err != nil {
			t.Fatalf("ping %d: %v", i, err)
		}
	}
}

// A body that looks like pings is a body.
func TestABodyIsNoPing(t *testing.T) {
	s, _ := pair(t, echoes(), Options{})
	stream, err := s.Open(Header{KindAPI, ""})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	want := bytes.Repeat([]byte{0, typePing, 0, flagSYN, 0, 0, 0, 0, 0, 0, 0, 1}, 8<<10)
	go func() { _, _ = stream.Write(want) }()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(stream, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("it came back otherwise: %v", err)
	}
}

// Streams whose end the other side does not answer are counted, however each of them ended here.
func TestStreamsThatAreNeverClosed(t *testing.T) {
	const most = 8
	for name, header := range map[string]Header{
		"refused": {Kind(77), "anything"},
		"served":  {KindAPI, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, far := serveWire(t, false, Options{
				MaxStreams: most,
				Authorise:  echoes().Authorise,
				Handle:     func(_ context.Context, _ Header, c net.Conn) { _ = c.Close() },
			})
			if name == "refused" {
				s.opts.Authorise = func(Header) error { return io.EOF }
			}
			mux, err := yamux.Client(far, yamuxConfig())
			if err != nil {
				t.Fatal(err)
			}
			defer mux.Close()
			var opened int
			for ; opened < 100*most; opened++ {
				stream, err := mux.OpenStream()
				if err != nil {
					break
				}
				if header.write(stream) != nil {
					break
				}
				_, _ = stream.Read(make([]byte, 1)) // the verdict: now it is served
			}
			if opened == 100*most {
				t.Fatalf("%d streams were opened, and %d are kept", opened, s.Streams())
			}
		})
	}
}

// This side does not pile up what the other one does not close either.
func TestClosedStreamsThatTheOtherSideKeeps(t *testing.T) {
	const most = 8
	s, far := serveWire(t, true, Options{MaxStreams: most})
	mux, err := yamux.Server(far, yamuxConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer mux.Close()
	go func() {
		for {
			if _, err := mux.AcceptStream(); err != nil {
				return
			}
		}
	}()
	for range 100 * most {
		stream, err := s.Open(Header{KindAPI, ""})
		if err != nil {
			return
		}
		_ = stream.Close()
	}
	t.Errorf("%d streams are kept", s.Streams())
}

func yamuxConfig() *yamux.Config {
	c := yamux.DefaultConfig()
	c.LogOutput, c.EnableKeepAlive = io.Discard, false
	return c
}

// A log gets few lines of one kind, the others in between, and how many it did not get.
func TestASparingLog(t *testing.T) {
	var text bytes.Buffer
	log := Sparing(slog.New(slog.NewTextHandler(&text, nil)))
	for i := range 10_000 {
		log.With("from", i).Warn("a request is refused", "path", "/x")
		log.Debug("nobody reads this")
	}
	log.Info("node attached")
	if got := strings.Count(text.String(), "\n"); got > 2*lineBurst {
		t.Errorf("%d lines", got)
	}
	if !strings.Contains(text.String(), "node attached") {
		t.Error("the other line is missing")
	}
	shown := strings.Count(text.String(), "a request is refused")
	Sparing(log).Handler().(*sparing).lines.tell()
	if want := fmt.Sprintf(`of="a request is refused" lines=%d`, 10_000-shown); !strings.Contains(text.String(), want) {
		t.Errorf("it does not say %s:\n%s", want, text.String())
	}
	for i := range 2 * maxMessages {
		log.Info(fmt.Sprint("message ", i))
	}
	if got := len(log.Handler().(*sparing).lines.messages); got > maxMessages+1 {
		t.Errorf("the table has %d messages", got)
	}
}
