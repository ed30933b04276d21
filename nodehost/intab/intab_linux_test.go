package intab

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// serving is a machine with a way to in-tab pods, which are what dial makes of them.
func serving(t *testing.T, dial func(ctx context.Context, source netip.Addr, pod netip.AddrPort) (net.Conn, error)) *testnet.Namespace {
	t.Helper()
	testnet.Require(t)
	n := testnet.NewNamespace(t)
	w, err := New(Options{MTU: 1450, Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	var tun *os.File
	n.Do(func() { tun, err = openTUN(1450) })
	if err != nil {
		t.Fatal(err)
	}
	n.MustExec(t, "ip", "addr", "add", "192.0.2.7/32", "dev", "lo")
	n.MustExec(t, "ip", "route", "add", "10.244.0.0/17", "dev", Interface, "src", "192.0.2.7")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.serve(ctx, tun) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if out, err := n.Exec("ip", "link", "show", Interface); err == nil {
			t.Errorf("the interface is still there: %s", out)
		}
	})
	<-w.Ready()
	return n
}

// echo is a pod that sends back what it gets.
func echo() net.Conn {
	near, far := net.Pipe()
	go func() {
		_, _ = io.Copy(far, far)
		_ = far.Close()
	}()
	return near
}

func TestAConnectionOfAMachine(t *testing.T) {
	asked := make(chan string, 1)
	n := serving(t, func(_ context.Context, source netip.Addr, pod netip.AddrPort) (net.Conn, error) {
		asked <- source.String() + " " + pod.String()
		return echo(), nil
	})
	c, err := n.Dial("tcp", "10.244.0.9:8080")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := <-asked; got != "192.0.2.7 10.244.0.9:8080" {
		t.Errorf("the cluster was asked for %s", got)
	}
	sent := strings.Repeat("0123456789", 100_000)
	go func() { _, _ = io.WriteString(c, sent) }()
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != sent {
		t.Errorf("a megabyte came back otherwise: %v", err)
	}
}

// What the cluster says is what a client hears: nobody is taken before.
func TestWhatAClientHears(t *testing.T) {
	n := serving(t, func(_ context.Context, _ netip.Addr, pod netip.AddrPort) (net.Conn, error) {
		if pod.Port() == 81 {
			return nil, nodedial.ErrDropped
		}
		return nil, errors.New("connection refused")
	})
	if c, err := n.Dial("tcp", "10.244.0.9:80"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a port without a listener: %v, %v", c, err)
	}
	if out, err := n.Exec("timeout", "2", "bash", "-c", "exec 3<>/dev/tcp/10.244.0.9/81"); err == nil || strings.Contains(out, "refused") {
		t.Errorf("what a policy drops is answered: %s, %v", out, err)
	}
	if out, err := n.Exec("ping", "-c", "1", "-W", "1", "10.244.0.9"); err == nil {
		t.Errorf("a ping is answered for whoever it is: %s", out)
	}
	c, err := n.Dial("udp", "10.244.0.9:53")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = c.Write([]byte("x"))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a datagram is not refused: %v", err)
	}
}

// One pod that takes all it can get has its share; garbage on the interface ends nothing.
func TestAFloodOfOneCaller(t *testing.T) {
	n := serving(t, func(context.Context, netip.Addr, netip.AddrPort) (net.Conn, error) { return echo(), nil })
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for range perCaller {
		c, err := n.Dial("tcp", "10.244.0.9:80")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	if c, err := n.Dial("tcp", "10.244.0.9:80"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("one more: %v, %v", c, err)
	}
	n.MustExec(t, "ip", "addr", "add", "192.0.2.8/32", "dev", "lo")
	n.MustExec(t, "ip", "route", "replace", "10.244.0.0/17", "dev", Interface, "src", "192.0.2.8")
	c, err := n.Dial("tcp", "10.244.0.9:80")
	if err != nil {
		t.Fatalf("another caller: %v", err)
	}
	_ = c.Close()
}

func TestWhatIsCarried(t *testing.T) {
	for what, packet := range map[string][]byte{
		"nothing": {}, "too little": {0x45, 0}, "IPv6": append([]byte{0x60}, make([]byte, 60)...),
		"ICMP": append([]byte{0x45, 0, 0, 20, 0, 0, 0, 0, 64, 1}, make([]byte, 30)...),
	} {
		if carried(packet) {
			t.Errorf("%s is carried", what)
		}
	}
}
