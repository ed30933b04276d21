package podnet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core/netns"
)

func TestMain(m *testing.M) { netns.Main(m) }

func newPod(t *testing.T, ips ...string) *Pod {
	t.Helper()
	netns.Require(t)
	var o Options
	for _, ip := range ips {
		o.IPs = append(o.IPs, netip.MustParseAddr(ip))
	}
	p := New(o)
	t.Cleanup(p.Close)
	return p
}

// answer accepts connections and writes text and the client's address to each.
func answer(t *testing.T, l net.Listener, text string) {
	t.Helper()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
			fmt.Fprintf(c, "%s %s", text, host)
			c.Close()
		}
	}()
}

func listen(t *testing.T, s *Sockets, address string) net.Listener {
	t.Helper()
	l, err := s.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("listen %s: %v", address, err)
	}
	return l
}

func ask(t *testing.T, s *Sockets, address string) string {
	t.Helper()
	c, err := s.Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("dial %s: %v", address, err)
	}
	defer c.Close()
	data, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("read from %s: %v", address, err)
	}
	return string(data)
}

func TestPodsListenSideBySideOnTheSamePort(t *testing.T) {
	a, b := newPod(t, "10.244.1.2").Sockets(nil), newPod(t, "10.244.1.3").Sockets(nil)
	for _, wildcard := range []string{":80", "0.0.0.0:81", "[::]:82"} {
		_, port, _ := net.SplitHostPort(wildcard)
		la, lb := listen(t, a, wildcard), listen(t, b, wildcard)
		answer(t, la, "a")
		answer(t, lb, "b")
		if got, want := la.Addr().String(), "10.244.1.2:"+port; got != want {
			t.Errorf("listen %s is at %s, want %s", wildcard, got, want)
		}
		// The answer shows the client's address: the source is the pod's own IP.
		if got := ask(t, b, "10.244.1.2:"+port); got != "a 10.244.1.3" {
			t.Errorf("pod b got %q from pod a", got)
		}
		if got := ask(t, a, "10.244.1.3:"+port); got != "b 10.244.1.2" {
			t.Errorf("pod a got %q from pod b", got)
		}
	}
	if ips := a.IPs(); len(ips) != 1 || ips[0].String() != "10.244.1.2" {
		t.Errorf("IPs: %v", ips)
	}
}

func TestLocalhostStaysInThePod(t *testing.T) {
	podA := newPod(t, "10.244.1.2")
	a, sidecar, b := podA.Sockets(nil), podA.Sockets(nil), newPod(t, "10.244.1.3").Sockets(nil)
	l := listen(t, a, "127.0.0.1:8080")
	answer(t, l, "local")
	if got := l.Addr().String(); got != "127.0.0.1:8080" {
		t.Errorf("listens on %s", got)
	}
	for _, address := range []string{"127.0.0.1:8080", "localhost:8080", ":8080", "[::1]:8080"} {
		if got := ask(t, sidecar, address); !strings.HasPrefix(got, "local ") {
			t.Errorf("the pod's other container got %q from %s", got, address)
		}
	}
	for _, address := range []string{"10.244.1.2:8080", "127.0.0.1:8080"} {
		if _, err := b.Dial(t.Context(), "tcp", address); !errors.Is(err, syscall.ECONNREFUSED) && !refused(err) {
			t.Errorf("another pod dials %s: %v, want connection refused", address, err)
		}
	}
	// A wildcard answers on localhost, an address of its own does not.
	answer(t, listen(t, a, ":80"), "wild")
	answer(t, listen(t, a, "10.244.1.2:81"), "own")
	if got := ask(t, a, "localhost:80"); !strings.HasPrefix(got, "wild ") {
		t.Errorf("localhost:80 gave %q", got)
	}
	if _, err := a.Dial(t.Context(), "tcp", "localhost:81"); !refused(err) {
		t.Errorf("localhost:81: %v, want connection refused", err)
	}
}

func TestOtherNetworks(t *testing.T) {
	s := newPod(t, "10.244.1.2").Sockets(nil)
	var unknown net.UnknownNetworkError
	if _, err := s.Listen(t.Context(), "udp", ":53"); !errors.As(err, &unknown) {
		t.Errorf("listen udp: %v", err)
	}
	if _, err := s.Dial(t.Context(), "ip4:icmp", "10.244.1.3:0"); !errors.As(err, &unknown) {
		t.Errorf("dial icmp: %v", err)
	}
	for _, address := range []string{"nowhere", "x:y:z", "10.244.1.3:99999", "10.244.1.3:nosuchservice"} {
		var op *net.OpError
		if _, err := s.Dial(t.Context(), "tcp", address); !errors.As(err, &op) || op.Op != "dial" {
			t.Errorf("dial %s: %v", address, err)
		}
	}
}

// refused also knows the in-memory network's error, which carries text only.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || err != nil && strings.Contains(strings.ToLower(err.Error()), "refused")
}

func TestAddressesInUse(t *testing.T) {
	pod := newPod(t, "10.244.1.2")
	a, b := pod.Sockets(nil), pod.Sockets(nil)
	listen(t, a, ":80")
	listen(t, a, "127.0.0.1:90")
	for _, address := range []string{":80", "10.244.1.2:80", "127.0.0.1:80", "127.0.0.1:90", ":90"} {
		_, err := b.Listen(t.Context(), "tcp", address)
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("listen %s again: %v, want address in use", address, err)
		}
	}
	if _, err := b.Listen(t.Context(), "tcp", "10.244.1.9:80"); !errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Errorf("listen on another's IP: %v, want address not available", err)
	}
	// A container's end frees its ports for the next.
	a.Close()
	listen(t, b, ":80")
	listen(t, b, "127.0.0.1:90")
}

func TestEphemeralPorts(t *testing.T) {
	s := newPod(t, "10.244.1.2").Sockets(nil)
	for _, address := range []string{":0", "127.0.0.1:0", "10.244.1.2:0"} {
		l := listen(t, s, address)
		answer(t, l, "here")
		if port := l.Addr().(*net.TCPAddr).Port; port == 0 {
			t.Errorf("listen %s has port 0", address)
		}
		if got := ask(t, s, l.Addr().String()); !strings.HasPrefix(got, "here ") {
			t.Errorf("%s answered %q", l.Addr(), got)
		}
	}
}

func TestCloseEndsListenersAndConnections(t *testing.T) {
	pod := newPod(t, "10.244.1.2")
	server, other := pod.Sockets(nil), newPod(t, "10.244.1.3").Sockets(nil)
	l := listen(t, server, ":80")
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			accepted <- c
		}
	}()
	c, err := other.Dial(t.Context(), "tcp", "10.244.1.2:80")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Fatal(err)
	}
	in := <-accepted
	if _, err := io.ReadFull(in, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if rx, _ := pod.Traffic(); rx != 5 {
		t.Errorf("the pod received %d bytes, want 5", rx)
	}
	pod.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection outlives the pod")
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the listener outlives the pod")
	}
	if _, err := other.Dial(t.Context(), "tcp", "10.244.1.2:80"); !refused(err) {
		t.Errorf("dial a pod that is gone: %v", err)
	}
	if _, err := pod.Sockets(nil).Listen(t.Context(), "tcp", ":80"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("listen in a pod that is gone: %v, want %v", err, net.ErrClosed)
	}
	// The next pod may have the same IP.
	listen(t, newPod(t, "10.244.1.2").Sockets(nil), ":80")
}

func TestHalfClose(t *testing.T) {
	s := newPod(t, "10.244.1.2").Sockets(nil)
	l := listen(t, s, ":7")
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		data, _ := io.ReadAll(c)
		c.Write(slices.Concat([]byte("echo "), data))
		c.Close()
	}()
	c, err := s.Dial(t.Context(), "tcp", "10.244.1.2:7")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "x")
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(c); string(got) != "echo x" {
		t.Errorf("got %q", got)
	}
}

func TestDualStack(t *testing.T) {
	// On Linux the namespace has no IPv6 range; both of the pod's IPs are of IPv4 here.
	s := newPod(t, "10.244.1.2", "10.244.7.2").Sockets(nil)
	answer(t, listen(t, s, ":80"), "both")
	for _, address := range []string{"10.244.1.2:80", "10.244.7.2:80", "localhost:80"} {
		if got := ask(t, s, address); !strings.HasPrefix(got, "both ") {
			t.Errorf("%s gave %q", address, got)
		}
	}
}
