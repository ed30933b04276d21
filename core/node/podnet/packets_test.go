package podnet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wire is a segment with pods on it.
func wire(t *testing.T, path Path, ips ...string) (*Segment, []*Sockets) {
	t.Helper()
	g := NewSegment()
	var socks []*Sockets
	for _, ip := range ips {
		p := New(Options{IPs: []netip.Addr{netip.MustParseAddr(ip)}, Segment: g, Path: path})
		t.Cleanup(p.Close)
		socks = append(socks, p.Sockets(nil))
	}
	return g, socks
}

func hear(t *testing.T, s *Sockets, address string) net.PacketConn {
	t.Helper()
	c, err := s.ListenPacket(t.Context(), "udp", address)
	if err != nil {
		t.Fatalf("listen %s: %v", address, err)
	}
	return c
}

// echo answers each datagram with text and where it came from.
func echo(c net.PacketConn, text string) {
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, from, err := c.ReadFrom(buf)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				host, _, _ := net.SplitHostPort(from.String())
				c.WriteTo(fmt.Appendf(nil, "%s %s %s", text, buf[:n], host), from)
			}
		}
	}()
}

func say(t *testing.T, s *Sockets, address, text string) (string, error) {
	t.Helper()
	c, err := s.Dial(t.Context(), "udp", address)
	if err != nil {
		t.Fatalf("dial %s: %v", address, err)
	}
	defer c.Close()
	return sayOn(t, c, text)
}

func sayOn(t *testing.T, c net.Conn, text string) (string, error) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		return "", err
	}
	c.SetReadDeadline(time.Now().Add(time.Minute))
	buf := make([]byte, 1<<16)
	n, err := c.Read(buf)
	return string(buf[:n]), err
}

func TestDatagrams(t *testing.T) {
	_, pods := wire(t, nil, "10.244.1.2", "10.244.2.3")
	a, b := pods[0], pods[1]
	echo(hear(t, b, ":53"), "all")
	echo(hear(t, b, "127.0.0.1:54"), "local")
	echo(hear(t, b, "10.244.2.3:55"), "own")
	for _, c := range []struct {
		from          *Sockets
		address, want string
	}{
		{a, "10.244.2.3:53", "all x 10.244.1.2"},
		{a, "10.244.2.3:55", "own x 10.244.1.2"},
		{b, "10.244.2.3:53", "all x 10.244.2.3"},
		{b, "127.0.0.1:53", "all x 127.0.0.1"},
		{b, "localhost:54", "local x 127.0.0.1"},
		{b, ":54", "local x 127.0.0.1"},
	} {
		if got, err := say(t, c.from, c.address, "x"); got != c.want {
			t.Errorf("%s said %q, %v; want %q", c.address, got, err, c.want)
		}
	}
	// A port that nobody has says so to who dialled it; another pod's localhost is not one's own.
	for _, c := range []struct {
		from    *Sockets
		address string
	}{{a, "10.244.2.3:54"}, {a, "127.0.0.1:53"}, {b, "127.0.0.1:55"}, {a, "10.244.9.9:53"}} {
		if got, err := say(t, c.from, c.address, "x"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s said %q, %v", c.address, got, err)
		}
	}
	for address, want := range map[string]error{
		":53": syscall.EADDRINUSE, "127.0.0.1:54": syscall.EADDRINUSE, "127.0.0.1:53": syscall.EADDRINUSE, "10.244.1.2:9": syscall.EADDRNOTAVAIL,
	} {
		if _, err := b.ListenPacket(t.Context(), "udp", address); !errors.Is(err, want) {
			t.Errorf("listen %s: %v, want %v", address, err, want)
		}
	}
	if _, err := a.Dial(t.Context(), "sctp", "10.244.2.3:53"); !errors.Is(err, syscall.EPROTONOSUPPORT) {
		t.Errorf("sctp: %v", err)
	}
}

func TestADatagramsBounds(t *testing.T) {
	_, pods := wire(t, nil, "10.244.1.2", "10.244.2.3")
	l := hear(t, pods[1], ":7")
	c, err := pods[0].Dial(t.Context(), "udp", "10.244.2.3:7")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(make([]byte, maxDatagram+1)); !errors.Is(err, syscall.EMSGSIZE) {
		t.Errorf("a datagram that is too long: %v", err)
	}
	if _, err := c.Write(make([]byte, maxDatagram)); err != nil {
		t.Error(err)
	}
	// What does not fit into the buffer is lost with its datagram.
	if n, _, err := l.ReadFrom(make([]byte, 10)); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	l.SetReadDeadline(time.Unix(1, 0))
	if _, _, err := l.ReadFrom(make([]byte, 10)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
	l.SetReadDeadline(time.Time{})
	io.WriteString(c, "again")
	if n, _, err := l.ReadFrom(make([]byte, 10)); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestAServiceOfDatagrams: the answer comes from the address that was asked, an endpoint that goes is
// left at once, and answers pass although nobody may begin a flow in that direction.
func TestAServiceOfDatagrams(t *testing.T) {
	service := netip.MustParseAddrPort("10.96.0.5:53")
	endpoint := "10.244.1.2:5353"
	_, pods := wire(t, func(_ string, from netip.Addr, to netip.AddrPort) (Way, error) {
		if from != netip.MustParseAddr("10.244.9.9") {
			return Way{}, ErrDropped
		}
		if to != service {
			return Way{To: to}, nil
		}
		chosen := endpoint
		return Way{To: netip.MustParseAddrPort(chosen), Still: func() bool { return endpoint == chosen }}, nil
	}, "10.244.1.2", "10.244.1.3", "10.244.9.9")
	echo(hear(t, pods[0], ":5353"), "first")
	echo(hear(t, pods[1], ":5353"), "second")
	c, err := pods[2].Dial(t.Context(), "udp", service.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "first", "second", "second"} {
		if want == "second" {
			endpoint = "10.244.1.3:5353"
		}
		if got, err := sayOn(t, c, "x"); got != want+" x 10.244.9.9" {
			t.Errorf("%q, %v; want %s", got, err, want)
		}
	}
}

// TestMasquerade: two clients with one port that the endpoint sees as one node are still told apart.
func TestMasquerade(t *testing.T) {
	g, pods := wire(t, nil, "10.244.1.2", "10.244.1.3", "10.244.1.4")
	node := netip.MustParseAddr("172.30.0.11")
	g.At(node, func(_ string, _ netip.Addr, to netip.AddrPort) (Way, error) {
		return Way{To: netip.MustParseAddrPort("10.244.1.2:80"), As: node}, nil
	})
	echo(hear(t, pods[0], ":80"), "it")
	for _, s := range pods[1:] {
		c := hear(t, s, ":4000")
		c.WriteTo([]byte(s.IPs()[0].String()), net.UDPAddrFromAddrPort(netip.AddrPortFrom(node, 30080)))
		buf := make([]byte, 100)
		n, from, err := c.ReadFrom(buf)
		if want := fmt.Sprintf("it %s %s", s.IPs()[0], node); err != nil || string(buf[:n]) != want || from.String() != "172.30.0.11:30080" {
			t.Errorf("%s said %q, %v; want %q", from, buf[:n], err, want)
		}
	}
}

func TestRedirect(t *testing.T) {
	g, pods := wire(t, nil, "10.244.1.2", "10.244.1.3")
	echo(hear(t, pods[0], ":80"), "it")
	at := netip.MustParseAddrPort("172.30.0.11:8080")
	undo, err := g.Redirect(at, netip.MustParseAddrPort("10.244.1.2:80"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Redirect(at, netip.MustParseAddrPort("10.244.1.3:80")); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a host port twice: %v", err)
	}
	if got, err := say(t, pods[1], at.String(), "x"); got != "it x 10.244.1.3" {
		t.Errorf("%q, %v", got, err)
	}
	undo()
	again, err := g.Redirect(at, netip.MustParseAddrPort("10.244.1.3:80"))
	if err != nil {
		t.Fatal(err)
	}
	undo() // says nothing about the next one
	if _, err := g.Redirect(at, netip.MustParseAddrPort("10.244.1.2:80")); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("%v", err)
	}
	again()
}

// TestFloods: who sends without end fills neither memory nor the table of flows of others.
func TestFloods(t *testing.T) {
	g, pods := wire(t, nil, "10.244.1.2", "10.244.1.3", "10.244.1.4", "10.244.1.5")
	victim := hear(t, pods[0], ":80")
	flood, err := pods[1].Dial(t.Context(), "udp", "10.244.1.2:80")
	if err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		if _, err := flood.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	if held := victim.(*PacketConn).held; held > socketQueue {
		t.Errorf("%d bytes wait, more than %d", held, socketQueue)
	}
	// Short ones cost more than their bytes.
	for range 5000 {
		flood.Write(nil)
	}
	if n := len(victim.(*PacketConn).queue); n > queueLength {
		t.Errorf("%d datagrams wait", n)
	}
	// All sockets of a pod together.
	for port := range 100 {
		hear(t, pods[0], fmt.Sprint(":", 1000+port))
		c, err := pods[1].Dial(t.Context(), "udp", fmt.Sprint("10.244.1.2:", 1000+port))
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			c.Write(make([]byte, 20000))
		}
		c.Close()
	}
	if held := pods[0].pod.queued.Load(); held > podQueue {
		t.Errorf("%d bytes wait in the pod, more than %d", held, podQueue)
	}
	// Flows, one for each port of a victim that there is none of.
	from := hear(t, pods[1], ":9")
	for port := 1; port < 3*maxFlowsOf; port++ {
		from.WriteTo([]byte("x"), &net.UDPAddr{IP: net.IPv4(10, 244, 1, 2), Port: port})
	}
	if n := g.flows.of[netip.MustParseAddr("10.244.1.3")]; n > maxFlowsOf {
		t.Errorf("%d flows of one pod", n)
	}
	echo(hear(t, pods[2], ":80"), "well")
	if got, err := say(t, pods[3], "10.244.1.4:80", "x"); !strings.HasPrefix(got, "well") {
		t.Errorf("another pod's datagram: %q, %v", got, err)
	}
	if g.Dropped() == 0 {
		t.Error("nothing was dropped")
	}
	for range maxPacketConns {
		if _, err = pods[2].ListenPacket(t.Context(), "udp", ":0"); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.EMFILE) {
		t.Errorf("sockets without end: %v", err)
	}
	// What the pod held goes with it.
	pods[0].pod.Close()
	if held := pods[0].pod.queued.Load(); held != 0 {
		t.Errorf("%d bytes are held by a pod that is gone", held)
	}
}

// TestFlowsEnd: they are forgotten when nothing is sent, and their places free.
func TestFlowsEnd(t *testing.T) {
	f := newFlows()
	now := time.Unix(1000, 0)
	a, b := netip.MustParseAddrPort("10.244.1.2:1"), netip.MustParseAddrPort("10.244.1.3:2")
	if _, _, err := f.begin(a, b, Way{To: b}, now); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		from, to netip.AddrPort
		after    time.Duration
		known    bool
	}{
		{a, b, 29 * time.Second, true}, {b, a, 58 * time.Second, true}, {a, b, 170 * time.Second, true}, {b, a, 280 * time.Second, true}, {a, b, 401 * time.Second, false},
	} {
		if _, _, ok := f.find(step.from, step.to, now.Add(step.after)); ok != step.known {
			t.Errorf("%s → %s after %s: known %t", step.from, step.to, step.after, ok)
		}
	}
	if len(f.questions)+len(f.answers)+len(f.of) != 0 {
		t.Errorf("%d, %d, %d are left", len(f.questions), len(f.answers), len(f.of))
	}
	for port := range maxFlowsOf {
		if _, _, err := f.begin(netip.AddrPortFrom(a.Addr(), uint16(port)), b, Way{To: b}, now); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := f.begin(netip.AddrPortFrom(a.Addr(), 60000), b, Way{To: b}, now); !errors.Is(err, ErrDropped) {
		t.Errorf("one flow more than %d: %v", maxFlowsOf, err)
	}
	if _, _, err := f.begin(netip.AddrPortFrom(a.Addr(), 60000), b, Way{To: b}, now.Add(time.Minute)); err != nil {
		t.Errorf("after the others have ended: %v", err)
	}
}
