package outside

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// knows is a resolver that knows these names, and counts how often it was asked.
func knows(asked *int) Lookup {
	names := map[string][]string{
		"hooks.example.com":  {"192.0.2.7", "2001:db8::7"},
		"inner.example.com":  {"192.0.2.7", "10.1.2.3"},
		"loop.example.com":   {"127.0.0.1"},
		"link.example.com":   {"169.254.169.254"},
		"mapped.example.com": {"::ffff:127.0.0.1"},
		"six.example.com":    {"64:ff9b::7f00:1"},
		"unique.example.com": {"fd00::1"},
		"shared.example.com": {"100.64.0.1"},
		"none.example.com":   {},
	}
	return func(_ context.Context, host string) (all []netip.Addr, err error) {
		*asked++
		list, ok := names[host]
		if !ok {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		for _, ip := range list {
			all = append(all, netip.MustParseAddr(ip))
		}
		return all, nil
	}
}

// TestResolve: a name must not lead into the hub's own network, whatever form its address has; an address that is named
// leads where it says.
func TestResolve(t *testing.T) {
	for name, want := range map[string]string{
		"hooks.example.com:443":  "",
		"HOOKS.example.com.:443": "",
		"10.1.2.3:443":           "",
		"127.0.0.1:8443":         "",
		"[fd00::1]:443":          "",
		"inner.example.com:443":  "is at 10.1.2.3, which is no address of the Internet",
		"loop.example.com:443":   "is at 127.0.0.1",
		"link.example.com:80":    "is at 169.254.169.254",
		"mapped.example.com:443": "is at 127.0.0.1",
		"six.example.com:443":    "is at 64:ff9b::7f00:1",
		"unique.example.com:443": "is at fd00::1",
		"shared.example.com:443": "is at 100.64.0.1",
		"none.example.com:443":   "has no address",
		"nobody.example.com:443": "no such host",
		"0.0.0.0:443":            "is no host's address",
		"224.0.0.1:443":          "is no host's address",
		"hooks.example.com":      "is no address outside",
	} {
		asked := 0
		a, err := Resolve(t.Context(), []string{name}, knows(&asked))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", name, a, err, want)
		}
		if asked > 1 {
			t.Errorf("%s: resolved %d times", name, asked)
		}
	}
	if _, err := Resolve(t.Context(), make([]string, maxAddresses+1), nil); err == nil {
		t.Error("as many as one likes are taken")
	}
}

// TestDial: only what was named is dialled, at the addresses that it had then.
func TestDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "here")
			c.Close()
		}
	}()
	asked := 0
	a, err := Resolve(t.Context(), []string{l.Addr().String()}, knows(&asked))
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Dial(t.Context(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b, err := io.ReadAll(c); string(b) != "here" {
		t.Errorf("%q, %v", b, err)
	}
	for _, from := range []Addresses{a, nil} {
		if _, err := from.Dial(t.Context(), "192.0.2.9:443"); err == nil || !strings.Contains(err.Error(), "--outside 192.0.2.9:443") {
			t.Error(err)
		}
	}
}
