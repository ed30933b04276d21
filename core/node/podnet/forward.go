package podnet

import (
	"context"
	"io"
	"net"

	"github.com/tabernetes/tabernetes/core/accept"
)

// Forward passes the connections that l accepts on to those that dial makes for them, until l is
// closed: a port of the node that leads to a pod. A client whose dial fails sees its connection close.
func Forward(l net.Listener, dial func(in net.Conn) (net.Conn, error)) {
	for {
		in, err := accept.Next(context.Background(), l, nil) // whoever is not accepted yet waits in the port's queue
		if err != nil {
			return
		}
		go func() {
			defer in.Close()
			out, err := dial(in)
			if err != nil {
				return
			}
			defer out.Close()
			go func() {
				_, _ = io.Copy(out, in)
				CloseWrite(out)
			}()
			_, _ = io.Copy(in, out)
		}()
	}
}

// CloseWrite ends the sending half of a connection that has halves.
func CloseWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the other end has gone: it is ended anyway
	}
}
