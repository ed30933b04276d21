package hub

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/outside"
)

// TestOutside: a cluster is led to what was named and nowhere else, so many times at once; a node is led nowhere.
func TestOutside(t *testing.T) {
	there := listen(t)
	t.Cleanup(func() { there.Close() })
	go func() {
		for {
			c, err := there.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	another := listen(t) // which was not named
	t.Cleanup(func() { another.Close() })
	target := there.Addr().String()
	a, err := outside.Resolve(t.Context(), []string{target}, func(context.Context, string) ([]netip.Addr, error) {
		t.Error("an address was looked up")
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) { o.Outside = a })
	b := r.attachCluster("tab", instanceOf("a"))
	b.welcome(t)
	said := func(conn net.Conn) string {
		t.Helper()
		if _, err := conn.Write([]byte("hello")); err != nil {
			return ""
		}
		got := make([]byte, 5)
		_, _ = io.ReadFull(conn, got)
		return string(got)
	}
	open := func(target string) (net.Conn, error) {
		return b.Open(tunnel.Header{Kind: tunnel.KindOutside, Target: target})
	}
	var all []net.Conn
	for range outsidePerCluster {
		conn, err := open(target)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		all = append(all, conn)
		if got := said(conn); got != "hello" {
			t.Fatalf("it answers %q", got)
		}
	}
	tooMany, err := open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer tooMany.Close()
	if got := said(tooMany); got == "hello" {
		t.Errorf("more than %d connections are led outside", outsidePerCluster)
	}
	for _, conn := range all {
		conn.Close()
	}
	for got := ""; got != "hello"; { // once the hub has seen them end
		conn, err := open(target)
		if err != nil {
			t.Fatal(err)
		}
		got = said(conn)
		conn.Close()
		if t.Context().Err() != nil {
			t.Fatal("shares do not come back")
		}
	}
	refusal := func(conn net.Conn, err error) string {
		if err == nil {
			defer conn.Close()
			_, err = conn.Read(make([]byte, 1))
		}
		return fmt.Sprint(err)
	}
	for _, target := range []string{another.Addr().String(), "localhost:" + portOf(t, there), strings.ToUpper("hooks.example.com:443"), ""} {
		if got := refusal(open(target)); !strings.Contains(got, "the hub does not lead to") {
			t.Errorf("%q: %s", target, got)
		}
	}
	m := r.attachNode("tab", instanceOf("n"))
	m.welcome(t)
	if got := refusal(m.Open(tunnel.Header{Kind: tunnel.KindOutside, Target: target})); !strings.Contains(got, "a node opens no streams") {
		t.Errorf("a node: %s", got)
	}
	// A hub that was told nothing leads nowhere.
	other := newRig(t, nil)
	b = other.attachCluster("tab", instanceOf("a"))
	b.welcome(t)
	if got := refusal(open(target)); !strings.Contains(got, "--outside "+target) {
		t.Errorf("a hub without any: %s", got)
	}
}

func portOf(t *testing.T, l net.Listener) string {
	t.Helper()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
