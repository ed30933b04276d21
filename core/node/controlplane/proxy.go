package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxProxied bounds how many connections a proxy carries at once.
const maxProxied = 256

// proxy is the sidecar that the initializer adds: it takes connections and leads them to a port of its pod, and its log
// tells of each.
func proxy(ctx context.Context, p *program.Process) int {
	return untilTold(ctx, p, func(ctx context.Context) error {
		flags := pflag.NewFlagSet("proxy", pflag.ContinueOnError)
		flags.SetOutput(io.Discard)
		listen := flags.String("listen", fmt.Sprintf(":%d", proxyPort), "")
		to := flags.String("to", "127.0.0.1:80", "")
		if err := flags.Parse(p.Args[1:]); err != nil {
			return err
		}
		l, err := p.Net.Listen(ctx, "tcp", *listen)
		if err != nil {
			return fmt.Errorf("listen at --listen=%s: %w", *listen, err)
		}
		defer context.AfterFunc(ctx, func() { l.Close() })()
		fmt.Fprintf(p.Stdout, "proxy: %s leads to %s\n", l.Addr(), *to)
		room := make(chan struct{}, maxProxied)
		for {
			c, err := l.Accept()
			if err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
			select {
			case room <- struct{}{}:
			default:
				c.Close()
				continue
			}
			go func() {
				defer func() { <-room }()
				defer c.Close()
				began := time.Now()
				sent, err := carry(ctx, p, c, *to)
				if err != nil {
					fmt.Fprintf(p.Stdout, "proxy: %s: %v\n", c.RemoteAddr(), err)
					return
				}
				fmt.Fprintf(p.Stdout, "proxy: %s: %d bytes answered in %d ms\n", c.RemoteAddr(), sent, time.Since(began).Milliseconds())
			}()
		}
	})
}

// carry carries a connection until both sides have ended, or ctx is done; answered are the bytes that went back.
func carry(ctx context.Context, p *program.Process, c net.Conn, to string) (answered int64, err error) {
	up, err := p.Net.Dial(ctx, "tcp", to)
	if err != nil {
		return 0, err
	}
	defer up.Close()
	defer context.AfterFunc(ctx, func() { c.Close(); up.Close() })()
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = io.Copy(up, c)
		closeWrite(up)
	}()
	answered, err = io.Copy(c, up)
	closeWrite(c)
	if err != nil {
		c.Close()
	}
	<-asked
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return answered, err
}

// closeWrite says that nothing more comes; what cannot say it closes.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	c.Close()
}
