package tunnel

import (
	"encoding/binary"
	"net"
)

// gather is a wire on which the header of a data frame and its body leave as one message.
// yamux writes them one after the other, which on a WebSocket would be two messages, each with
// a system call, or a call into JavaScript, of its own. It is for yamux' one sending goroutine.
type gather struct {
	net.Conn
	held []byte // the header of a body that comes next; empty if there is none
}

func (g *gather) Write(p []byte) (int, error) {
	if len(g.held) == 0 {
		if len(p) == frameHeader && p[1] == typeData && binary.BigEndian.Uint32(p[8:]) > 0 {
			g.held = append(g.held, p...)
			return len(p), nil
		}
		return g.Conn.Write(p)
	}
	g.held = append(g.held, p...)
	_, err := g.Conn.Write(g.held)
	if cap(g.held) > keptFrame {
		g.held = nil
	}
	g.held = g.held[:0]
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// keptFrame is how large a frame's buffer may be to be used for the next one.
const keptFrame = 64<<10 + frameHeader
