package accept

import (
	"context"
	"errors"
	"net"
	"time"
)

// Of two tries, the shortest and the longest time between them: those of net/http.Server.Serve.
const (
	shortest = 5 * time.Millisecond
	longest  = time.Second
)

// Next returns the next connection of l. An error that passes, such as too many open files, is told to
// passing (which may be nil) with the time until l is asked again. The error that it returns is
// net.ErrClosed, when l was closed, or the cause of ctx, which ends the waiting; it does not close l,
// so that an Accept under way goes on until somebody does.
func Next(ctx context.Context, l net.Listener, passing func(err error, pause time.Duration)) (net.Conn, error) {
	for pause := time.Duration(0); ; {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = conn.Close()
			}
			return nil, context.Cause(ctx)
		case err == nil:
			return conn, nil
		case errors.Is(err, net.ErrClosed):
			return nil, err
		}
		pause = min(max(2*pause, shortest), longest)
		if passing != nil {
			passing(err, pause)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}
