package tool

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/spf13/pflag"
)

func init() { tools["nc"] = nc }

// ncLinger is how long nc goes on to send after the other side has closed.
const ncLinger = 200 * time.Millisecond

func nc(t *T) int {
	var listen, zero, verbose, udp, keep bool
	var port, wait string
	args, code, ok := t.flags("[-lzvuk] [-p PORT] [-w SEC] [HOST] [PORT]", func(f *pflag.FlagSet) {
		f.BoolVarP(&listen, "listen", "l", false, "")
		f.BoolVarP(&zero, "zero", "z", false, "")
		f.BoolVarP(&verbose, "verbose", "v", false, "")
		f.BoolVarP(&udp, "udp", "u", false, "")
		f.BoolVarP(&keep, "keep", "k", false, "")
		f.BoolP("numeric", "n", false, "")
		f.BoolP("telnet", "t", false, "") // options of TELNET are answered by nobody here
		f.StringVarP(&port, "port", "p", "", "")
		f.StringVarP(&wait, "wait", "w", "", "")
	})
	if !ok {
		return code
	}
	if t.Net == nil {
		t.fail("no network")
		return 1
	}
	network := "tcp"
	if udp {
		network = "udp"
	}
	if listen {
		if port == "" && len(args) > 0 {
			port = args[len(args)-1]
		}
		if udp {
			return t.ncHear(port, silence(wait))
		}
		return t.ncListen(network, port, keep)
	}
	if len(args) != 2 {
		return t.usage("[-lzvu] [-p PORT] [-w SEC] [HOST] [PORT]")
	}
	limit := 10 * time.Second
	if d, err := duration(wait); err == nil && wait != "" {
		limit = d
	}
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	dial := func() (net.Conn, error) { return t.dial(ctx, network, net.JoinHostPort(args[0], args[1]), nil) }
	if udp && port != "" {
		dial = func() (net.Conn, error) { return t.sendFrom(ctx, port, args[0], args[1]) }
	}
	conn, err := dial()
	if err != nil {
		text := netReason(err)
		if ctx.Err() != nil {
			text = "timed out"
		}
		if verbose || !zero {
			t.fail("%s (%s:%s): %s", args[0], args[0], args[1], text)
			t.explain(err)
		}
		return 1
	}
	defer conn.Close()
	if verbose {
		fmt.Fprintf(t.stderr(), "%s (%s) open\n", args[0], conn.RemoteAddr())
	}
	if zero {
		return 0
	}
	if udp {
		t.exchange(conn, silence(wait))
		return 0
	}
	t.converse(conn)
	return 0
}

func (t *T) ncListen(network, port string, keep bool) int {
	l, err := t.Net.Listen(t.ctx, network, ":"+port)
	if err != nil {
		t.fail("bind: %s", netReason(err))
		return 1
	}
	defer l.Close()
	stop := context.AfterFunc(t.ctx, func() { _ = l.Close() })
	defer stop()
	for {
		conn, err := l.Accept()
		if err != nil {
			return oneIf(t.ctx.Err() == nil)
		}
		t.converse(conn)
		if !keep {
			return 0
		}
	}
}

// converse copies both ways until the other side closes.
func (t *T) converse(conn net.Conn) {
	defer conn.Close()
	stop := context.AfterFunc(t.ctx, func() { _ = conn.Close() })
	defer stop()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if t.Stdin != nil {
			_, _ = io.Copy(conn, t.Stdin)
		}
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	buf := make([]byte, 16<<10)
	for {
		n, err := conn.Read(buf)
		_, _ = t.out.Write(buf[:n])
		if t.out.Flush() != nil {
			return
		}
		if err != nil {
			// What was piped in is sent although the other side had nothing to say.
			select {
			case <-sent:
			case <-time.After(ncLinger):
			case <-t.ctx.Done():
			}
			return
		}
	}
}
