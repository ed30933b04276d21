package tunnel

import (
	"errors"
	"io"
	"net"
	"sync"
)

// A stream that waits holds a buffer of idleBuffer bytes; one that is busy takes one of
// busyBuffer from the pool while it is.
const (
	idleBuffer = 2 << 10
	busyBuffer = 64 << 10
)

var busyBuffers = sync.Pool{New: func() any { return new([busyBuffer]byte) }}

// Splice moves bytes between a and b until both directions have ended, and closes both. The
// end of one direction is passed on and leaves the other one alone; an error ends both.
func Splice(a, b net.Conn) error {
	closeBoth := sync.OnceFunc(func() {
		_ = a.Close()
		_ = b.Close()
	})
	defer closeBoth()
	there := make(chan error, 1)
	go func() {
		err := oneWay(b, a)
		if err != nil {
			closeBoth()
		}
		there <- err
	}()
	back := oneWay(a, b)
	if back != nil {
		closeBoth()
	}
	return errors.Join(<-there, back)
}

// oneWay copies until src ends, and says so to dst.
func oneWay(dst, src net.Conn) error {
	if err := copyLean(dst, src); err != nil {
		return err
	}
	if half, ok := dst.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return dst.Close()
}

// copyLean is io.Copy for connections of which most are idle most of the time.
func copyLean(dst io.Writer, src io.Reader) error {
	idle := make([]byte, idleBuffer)
	var busy *[busyBuffer]byte
	rest := func() {
		if busy != nil {
			busyBuffers.Put(busy)
			busy = nil
			if s, ok := src.(interface{ Shrink() }); ok {
				s.Shrink() // yamux keeps its largest buffer otherwise
			}
		}
	}
	defer rest()
	for {
		buf := idle
		if busy != nil {
			buf = busy[:]
		}
		n, err := src.Read(buf)
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case n == len(buf) && busy == nil:
			busy = busyBuffers.Get().(*[busyBuffer]byte)
		case n < idleBuffer:
			rest()
		}
	}
}
