package tunnel

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync/atomic"
)

// yamux' frame header (its spec.md): version, type, flags (2), stream (4), length (4).
const (
	frameHeader = 12
	typeData    = 0
	typePing    = 2
	flagSYN     = 1
	flagACK     = 2
)

// meter is a wire that looks at the headers of the frames which pass, where they are read. yamux
// answers each ping in a goroutine of its own, which waits until the wire takes the answer: who
// sends pings and does not read would have as many as it likes.
type meter struct {
	net.Conn
	// pings are those of the other side that are not answered yet.
	pings atomic.Int64
	// Of what is read; for yamux' one receiving goroutine.
	header [frameHeader]byte
	have   int    // of header, in bytes
	body   uint32 // what of a data frame's body is still to come, in bytes
	broken error
}

func (m *meter) Read(p []byte) (int, error) {
	if m.broken != nil {
		return 0, m.broken
	}
	n, err := m.Conn.Read(p)
	if m.broken = m.look(p[:n]); m.broken != nil {
		return 0, m.broken
	}
	return n, err
}

// look goes through what was read; frames begin and end anywhere in it.
func (m *meter) look(p []byte) error {
	for len(p) > 0 {
		if m.body > 0 {
			k := min(m.body, uint32(min(len(p), maxSkip)))
			m.body, p = m.body-k, p[k:]
			continue
		}
		k := copy(m.header[m.have:], p)
		p, m.have = p[k:], m.have+k
		if m.have < frameHeader {
			return nil
		}
		m.have = 0
		switch flags := binary.BigEndian.Uint16(m.header[2:]); {
		case m.header[1] == typeData:
			m.body = binary.BigEndian.Uint32(m.header[8:])
		case m.header[1] == typePing && flags&flagSYN != 0:
			if m.pings.Add(1) > maxPings {
				return fmt.Errorf("the other side sends pings and does not take the answers: %d may be open", maxPings)
			}
		}
	}
	return nil
}

// maxSkip keeps len(p) within 32 bits.
const maxSkip = 1 << 30

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	if err == nil && len(p) == frameHeader && p[1] == typePing && binary.BigEndian.Uint16(p[2:])&flagACK != 0 {
		m.pings.Add(-1)
	}
	return n, err
}
