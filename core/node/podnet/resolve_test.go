package podnet

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tabernetes/tabernetes/core/program"
)

// fakeDNS answers at 10.96.0.10 of a segment; a name without addresses fails.
func fakeDNS(t *testing.T, g *Segment, names map[string]string) {
	t.Helper()
	c, err := g.Listen(netip.MustParseAddrPort("10.96.0.10:53"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, from, err := c.ReadFrom(buf)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			var m dnsmessage.Message
			if err != nil || m.Unpack(buf[:n]) != nil {
				continue
			}
			// What somebody else sends is no answer.
			c.WriteTo([]byte("garbage"), from)
			forged := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID + 1, Response: true}, Questions: m.Questions}
			if b, err := forged.Pack(); err == nil {
				c.WriteTo(b, from)
			}
			m.Response, m.Additionals = true, nil
			addresses, ok := names[m.Questions[0].Name.String()]
			switch {
			case !ok:
				m.RCode = dnsmessage.RCodeNameError
			case addresses == "":
				m.RCode = dnsmessage.RCodeServerFailure
			}
			for _, a := range strings.Fields(addresses) {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
				})
			}
			if b, err := m.Pack(); err == nil {
				c.WriteTo(b, from)
			}
		}
	}()
}

func TestLookupHost(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"hosts":       "127.0.0.1 localhost\n::1 localhost\n10.244.1.2 web-0.web.default.svc.cluster.local web-0 # self\n",
		"resolv.conf": "search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n",
	} {
		if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "etc", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g, _ := wire(t, nil)
	fakeDNS(t, g, map[string]string{
		"db.default.svc.cluster.local.": "10.96.3.4",
		"db.other.svc.cluster.local.":   "10.96.3.5",
		"example.com.":                  "93.184.215.14",
		"short.example.com.":            "1.2.3.4",
		"localhost.svc.cluster.local.":  "6.6.6.6",
		"api.github.com.cluster.local.": "6.6.6.6",
		"api.github.com.":               "140.82.112.6",
		"broken.":                       "",
	})
	pod := New(Options{IPs: []netip.Addr{netip.MustParseAddr("10.244.1.2")}, Segment: g})
	defer pod.Close()
	s := pod.Sockets(program.NewFS(root))
	for host, want := range map[string]string{
		"10.1.2.3":                     "10.1.2.3",
		"::1":                          "::1",
		"localhost":                    "127.0.0.1 ::1",
		"web-0":                        "10.244.1.2",
		"WEB-0":                        "10.244.1.2",
		"db":                           "10.96.3.4",
		"db.default":                   "10.96.3.4",
		"db.other.svc":                 "10.96.3.5",
		"db.default.svc.cluster.local": "10.96.3.4",
		"example.com":                  "93.184.215.14",
		"api.github.com":               "6.6.6.6", // ndots:5 asks the search list first
		"api.github.com.":              "140.82.112.6",
		"foo.localhost":                "127.0.0.1",
	} {
		ips, err := s.LookupHost(t.Context(), host)
		if err != nil || strings.Join(ips, " ") != want {
			t.Errorf("lookup %s: %v, %v; want %s", host, ips, err, want)
		}
	}
	var dns *net.DNSError
	if _, err := s.LookupHost(t.Context(), "nowhere"); !errors.As(err, &dns) || !dns.IsNotFound || dns.Name != "nowhere" {
		t.Errorf("lookup nowhere: %v", err)
	}
	if _, err := s.LookupHost(t.Context(), "broken."); !errors.As(err, &dns) || !dns.IsTemporary || !strings.Contains(err.Error(), "SERVFAIL") {
		t.Errorf("lookup broken: %v", err)
	}
	for _, bad := range []string{"a..b", strings.Repeat("a", 64), strings.Repeat("a.", 200), "", "."} {
		if ips, err := s.LookupHost(t.Context(), bad); err == nil {
			t.Errorf("lookup %q: %v", bad, ips)
		}
	}
	if n := len(g.flows.questions); n != 0 {
		t.Errorf("%d flows are left of questions that were answered", n)
	}
}
