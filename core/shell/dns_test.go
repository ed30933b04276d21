package shell_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tabernetes/tabernetes/core/shell"
)

// named is a network with a name server that knows few names.
type named struct {
	loopback
	server string
}

func (n named) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.HasSuffix(address, ":53") {
		address = n.server
	}
	return n.loopback.Dial(ctx, network, address)
}

func (n named) LookupHost(ctx context.Context, host string) ([]string, error) {
	if net.ParseIP(host) != nil {
		return []string{host}, nil
	}
	return n.loopback.LookupHost(ctx, host)
}

func serveNames(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	answerNames(c)
	return c.LocalAddr().String()
}

// answerNames answers until c is closed.
func answerNames(c net.PacketConn) {
	name := dnsmessage.MustNewName
	records := map[string]dnsmessage.ResourceBody{
		"web.default.svc.":                        &dnsmessage.AResource{A: [4]byte{10, 96, 0, 5}},
		"5.0.96.10.in-addr.arpa.":                 &dnsmessage.PTRResource{PTR: name("web.default.svc.")},
		"_http._tcp.web.":                         &dnsmessage.SRVResource{Weight: 100, Port: 80, Target: name("web.default.svc.")},
		"kubernetes.default.svc.cluster.example.": &dnsmessage.AResource{A: [4]byte{10, 96, 0, 1}},
		"plain.":             &dnsmessage.TXTResource{TXT: []string{"two words"}},
		"mail.":              &dnsmessage.MXResource{Pref: 10, MX: name("mx.mail.")},
		"zone.":              &dnsmessage.NSResource{NS: name("ns.dns.cluster.local.")},
		"alias.default.svc.": &dnsmessage.CNAMEResource{CNAME: name("web.default.svc.")},
		"said.":              &dnsmessage.TXTResource{TXT: []string{`two "words"`}},
		"soa.":               &dnsmessage.SOAResource{NS: name("ns.dns."), MBox: name("hostmaster."), Serial: 7, Refresh: 7200, Retry: 1800, Expire: 86400, MinTTL: 5},
		"evil.":              &dnsmessage.TXTResource{TXT: []string{"\x1b[2J"}},
		"evilptr.":           &dnsmessage.PTRResource{PTR: name("a\x1b[2Jb.")},
	}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil {
				continue
			}
			m.Response, m.Authoritative, m.RecursionAvailable = true, true, true
			m.Additionals, m.RCode = nil, dnsmessage.RCodeNameError
			body := records[m.Questions[0].Name.String()]
			if body != nil {
				m.RCode = dnsmessage.RCodeSuccess
			}
			if body != nil && m.Questions[0].Type == typeOf(body) {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 30}, Body: body}}
			}
			if b, err := m.Pack(); err == nil {
				c.WriteTo(b, from)
			}
		}
	}()
}

func typeOf(body dnsmessage.ResourceBody) dnsmessage.Type {
	switch body.(type) {
	case *dnsmessage.PTRResource:
		return dnsmessage.TypePTR
	case *dnsmessage.SRVResource:
		return dnsmessage.TypeSRV
	case *dnsmessage.TXTResource:
		return dnsmessage.TypeTXT
	case *dnsmessage.NSResource:
		return dnsmessage.TypeNS
	case *dnsmessage.CNAMEResource:
		return dnsmessage.TypeCNAME
	case *dnsmessage.SOAResource:
		return dnsmessage.TypeSOA
	case *dnsmessage.MXResource:
		return dnsmessage.TypeMX
	}
	return dnsmessage.TypeA
}

func TestAskingNames(t *testing.T) {
	server := serveNames(t)
	conf := "printf 'nameserver 10.96.0.10\\nsearch default.svc\\noptions ndots:5\\n' > /etc/resolv.conf; "
	for _, c := range []scriptCase{
		{"nslookup web | tail -3; nslookup nosuch | tail -2", "Name:\tweb.default.svc\nAddress: 10.96.0.5\n\n** server can't find nosuch: NXDOMAIN\n\n", "", 0},
		{"nslookup web | head -2; nslookup web 10.96.0.11 | head -1; nslookup -type=srv _http._tcp.web. | tail -2", "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\nServer:\t\t10.96.0.11\n_http._tcp.web\tservice = 0 100 80 web.default.svc\n\n", "", 0},
		{"nslookup 10.96.0.5 | tail -2", "5.0.96.10.in-addr.arpa\tname = web.default.svc\n\n", "", 0},
		{"dig +notcp +noall +answer +search web A", "web.default.svc.\t30\tIN\tA\t10.96.0.5\n", "", 0},
		{"dig +noall +answer web A; dig +short web.default.svc; dig +short -x 10.96.0.5; dig +short _http._tcp.web SRV", "10.96.0.5\nweb.default.svc.\n0 100 80 web.default.svc.\n", "", 0},
		{"dig nosuch | grep status | cut -d, -f2; dig +short evil TXT; dig +short evilptr PTR", " status: NXDOMAIN\n\"\\x1b[2J\"\na\\027[2Jb.\n", "", 0},
		{"host -t a web; host web. 10.96.0.11 | head -4; host 10.96.0.5; host -t SRV _http._tcp.web.", "web.default.svc has address 10.96.0.5\nUsing domain server:\nName: 10.96.0.11\nAddress: 10.96.0.11#53\nAliases: \n5.0.96.10.in-addr.arpa domain name pointer web.default.svc.\n_http._tcp.web has SRV record 0 100 80 web.default.svc.\n", "", 0},
		{"host nosuch; host -t txt evil; host -t ptr evilptr", "Host nosuch not found: 3(NXDOMAIN)\nevil descriptive text \"\\x1b[2J\"\nevilptr domain name pointer a\\027[2Jb.\n", "", 0},
		{"host -t nonsense web", "", "host: invalid type: nonsense\n", 2},
		{"getent hosts web; getent hosts nosuch", "127.0.0.1       web\n", "", 2},
		{"dig", "", "dig: no name to look up\n", 1},
	} {
		t.Run(c.script, func(t *testing.T) {
			p, out, errOut := container(t, "sh", "-c", "mkdir -p /etc; "+conf+c.script)
			p.Net = named{server: server}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			code := shell.Sh(ctx, p)
			if out.String() != c.stdout || errOut.String() != c.stderr || code != c.code {
				t.Errorf("prints %q, %q and exits with %d,\nwant   %q, %q and %d", out.String(), errOut.String(), code, c.stdout, c.stderr, c.code)
			}
		})
	}
}
