package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"k8s.io/apiserver/pkg/server/egressselector"
)

var errCut = errors.New("node is cut")

func TestRouteByHost(t *testing.T) {
	r := NewRouter()
	r.Handle("10.244.0.9", func(context.Context, string, string) (net.Conn, error) { return nil, errCut })

	dial, err := r.Selector().Lookup(egressselector.Cluster.AsNetworkContext())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dial(t.Context(), "tcp", "10.244.0.9:80"); !errors.Is(err, errCut) {
		t.Errorf("dial of a routed host: got %v, want the route's error", err)
	}

	open := func(context.Context, string, string) (net.Conn, error) { c, _ := net.Pipe(); return c, nil }
	r.Handle("10.244.0.9:2379", open)
	if c, err := dial(t.Context(), "tcp", "10.244.0.9:2379"); err != nil {
		t.Errorf("a port with a route of its own: %v", err)
	} else {
		c.Close()
	}

	r.Handle("10.244.0.9", nil)
	r.Handle("127.0.0.1", nil) // taking away what is not there is no error
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := dial(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatalf("direct dial: %v", err)
	}
	c.Close()
}

func TestAddressWithoutPort(t *testing.T) {
	if _, err := NewRouter().DialContext(t.Context(), "tcp", "10.0.0.1"); err == nil {
		t.Error("an address without a port was dialled")
	}
}

// TestRefused: what is refused is said without dialling, and a longer prefix that leads somewhere is not refused.
func TestRefused(t *testing.T) {
	r := NewRouter()
	pods := netip.MustParsePrefix("10.244.7.0/24")
	r.Refuse(pods, errCut)
	r.HandlePrefix(netip.MustParsePrefix("10.244.7.8/32"), func(context.Context, string, string) (net.Conn, error) {
		t.Error("it was dialled")
		return nil, errors.New("dialled")
	})
	for address, want := range map[string]error{"10.244.7.9": errCut, "10.244.7.8": nil, "10.244.8.9": nil} {
		if got := r.Refused(netip.MustParseAddr(address)); !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
	if _, err := r.DialContext(t.Context(), "tcp", "10.244.7.9:80"); !errors.Is(err, errCut) {
		t.Errorf("a dial that is refused: %v", err)
	}
	if err := r.Refused(netip.Addr{}); err != nil {
		t.Errorf("no address: %v", err)
	}
	r.Refuse(pods, nil)
	if err := r.Refused(netip.MustParseAddr("10.244.7.9")); err != nil {
		t.Errorf("after it was taken away: %v", err)
	}
}

func TestTheLongestPrefixWins(t *testing.T) {
	r := NewRouter()
	to := func(name string) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) { return nil, errors.New(name) }
	}
	r.HandlePrefix(netip.MustParsePrefix("10.244.7.0/24"), to("node"))
	r.HandlePrefix(netip.MustParsePrefix("10.244.7.9/32"), to("one"))
	r.Handle("10.244.7.10", to("host"))
	for address, want := range map[string]string{
		"10.244.7.8:80": "node", "10.244.7.9:80": "one", "10.244.7.10:80": "host",
	} {
		if _, err := r.DialContext(t.Context(), "tcp", address); err == nil || err.Error() != want {
			t.Errorf("%s goes to %v, want %s", address, err, want)
		}
	}
	r.HandlePrefix(netip.MustParsePrefix("10.244.7.9/32"), nil)
	if _, err := r.DialContext(t.Context(), "tcp", "10.244.7.9:80"); err == nil || err.Error() != "node" {
		t.Errorf("after its route was taken away: %v", err)
	}
}

// A machine that claims an etcd's address as a node gets nothing of what is stored there.
func TestNoNodeIsDialledInAnEtcdsPlace(t *testing.T) {
	r := NewRouter()
	etcd, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Close()
	r.HandlePrefix(netip.MustParsePrefix("127.0.0.1/32"), func(context.Context, string, string) (net.Conn, error) { return nil, errCut })
	store, err := r.Selector().Lookup(egressselector.Etcd.AsNetworkContext())
	if err != nil {
		t.Fatal(err)
	}
	c, err := store(t.Context(), "tcp", etcd.Addr().String())
	if err != nil {
		t.Fatalf("the node is dialled: %v", err)
	}
	c.Close()
	if _, err := r.DialContext(t.Context(), "tcp", etcd.Addr().String()); !errors.Is(err, errCut) {
		t.Errorf("the machine's kubelet: %v, want the node's way", err)
	}
	r.Handle(etcd.Addr().String(), func(context.Context, string, string) (net.Conn, error) { return nil, errCut })
	if _, err := store(t.Context(), "tcp", etcd.Addr().String()); !errors.Is(err, errCut) {
		t.Errorf("an etcd behind a gateway: %v, want the gateway", err)
	}
	if _, err := store(t.Context(), "tcp", "127.0.0.1"); err == nil {
		t.Error("an address without a port was dialled")
	}
}
