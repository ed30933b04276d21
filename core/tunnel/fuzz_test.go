package tunnel

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
)

// frame is one of yamux', as a stranger writes it.
func frame(kind byte, flags uint16, id uint32, body []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0, kind}, flags)
	b = binary.BigEndian.AppendUint32(b, id)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(body))), body...)
}

// Whatever comes on a wire ends in an orderly way, and keeps nothing.
func FuzzFrames(f *testing.F) {
	api := []byte{byte(KindAPI), 0, 3, 'a', ':', '1'}
	f.Add(frame(typeData, flagSYN, 1, api))
	f.Add(append(frame(typeData, flagSYN, 1, api), frame(typeData, 4, 1, []byte("and more"))...))
	f.Add(append(frame(1, flagSYN, 1, nil), frame(1, 8, 1, nil)...))
	f.Add(frame(typeData, flagSYN, 1, []byte{byte(KindCall), 0xff, 0xff}))
	f.Add(frame(typePing, flagSYN, 0, nil))
	f.Add(frame(3, 0, 0, nil))
	f.Add(frame(typeData, 0, 7, []byte("nobody's")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		near, far := net.Pipe()
		s, err := newSession(near, false, Options{
			MaxStreams: 4,
			Authorise:  func(Header) error { return nil },
			Handle: func(_ context.Context, h Header, c net.Conn) {
				if len(h.Target) > maxTarget {
					t.Errorf("a target of %d bytes", len(h.Target))
				}
				_ = c.Close()
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() { defer close(served); _ = s.Serve(context.Background()) }()
		read := make(chan struct{})
		go func() { defer close(read); _, _ = io.Copy(io.Discard, far) }()
		_, _ = far.Write(raw)
		if n := s.Streams(); n > s.mayKeep() {
			t.Errorf("%d streams are kept", n)
		}
		_ = far.Close()
		<-read
		<-s.Done()
		<-served
		_ = s.Close()
	})
}

// A meter counts the same frames, however they are cut.
func FuzzMeter(f *testing.F) {
	f.Add(frame(typePing, flagSYN, 0, nil), uint8(1))
	f.Add(append(frame(typeData, 0, 1, bytes.Repeat([]byte{0, typePing, 0, flagSYN}, 9)), frame(typePing, flagSYN, 0, nil)...), uint8(5))
	f.Fuzz(func(t *testing.T, raw []byte, cut uint8) {
		var whole, pieces meter
		one := whole.look(raw)
		var other error
		for rest := raw; len(rest) > 0 && other == nil; {
			k := min(int(cut)+1, len(rest))
			other = pieces.look(rest[:k])
			rest = rest[k:]
		}
		if (one == nil) != (other == nil) || whole.pings.Load() != pieces.pings.Load() {
			t.Errorf("%v and %d pings, in pieces %v and %d", one, whole.pings.Load(), other, pieces.pings.Load())
		}
	})
}
