package tool

import (
	"context"
	"net"
	"time"
)

// silence is how long nc -u waits for a datagram, as -w says; 0 is for ever.
func silence(wait string) time.Duration {
	d, err := duration(wait)
	if wait == "" || err != nil {
		return 0
	}
	return d
}

// ncHear is nc -l -u: it talks to whoever sends the first datagram.
func (t *T) ncHear(port string, wait time.Duration) int {
	c, err := t.Net.ListenPacket(t.ctx, "udp", ":"+port)
	if err != nil {
		t.fail("bind: %s", netReason(err))
		return 1
	}
	defer c.Close()
	stop := context.AfterFunc(t.ctx, func() { _ = c.Close() })
	defer stop()
	buf := make([]byte, 64<<10)
	n, from, err := c.ReadFrom(buf)
	if err != nil {
		return 1
	}
	_, _ = t.out.Write(buf[:n])
	if t.out.Flush() != nil {
		return 0
	}
	t.exchange(answering{c, from}, wait)
	return 0
}

// answering is a socket that talks to one of those who may send to it.
type answering struct {
	net.PacketConn
	to net.Addr
}

func (a answering) Read(p []byte) (int, error) {
	for {
		n, from, err := a.ReadFrom(p)
		if err != nil || from.String() == a.to.String() {
			return n, err
		}
	}
}

func (a answering) Write(p []byte) (int, error) { return a.WriteTo(p, a.to) }
func (a answering) RemoteAddr() net.Addr        { return a.to }

// sendFrom is a socket of that port which talks to one address.
func (t *T) sendFrom(ctx context.Context, port, host, service string) (net.Conn, error) {
	ip := host
	if net.ParseIP(host) == nil {
		addrs, err := t.Net.LookupHost(ctx, host)
		if err != nil || len(addrs) == 0 {
			return nil, errBadAddress(host)
		}
		ip = addrs[0]
	}
	to, err := net.ResolveUDPAddr("udp", net.JoinHostPort(ip, service))
	if err != nil {
		return nil, err
	}
	c, err := t.Net.ListenPacket(ctx, "udp", ":"+port)
	if err != nil {
		return nil, err
	}
	return answering{c, to}, nil
}

// exchange copies both ways, a datagram for each read of the input, until nothing has come for as long
// as wait says: datagrams have no end.
func (t *T) exchange(conn net.Conn, wait time.Duration) {
	stop := context.AfterFunc(t.ctx, func() { _ = conn.Close() })
	defer stop()
	quiet := func() {
		if wait > 0 {
			_ = conn.SetReadDeadline(time.Now().Add(wait))
		}
	}
	quiet()
	go func() {
		if t.Stdin == nil {
			return
		}
		buf := make([]byte, 8<<10)
		for t.ctx.Err() == nil {
			n, err := t.Stdin.Read(buf)
			if n > 0 {
				_, _ = conn.Write(buf[:n]) // who is not there hears nothing
				quiet()
			}
			if err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		quiet()
		if _, err = t.out.Write(buf[:n]); err != nil || t.out.Flush() != nil {
			return
		}
	}
}
