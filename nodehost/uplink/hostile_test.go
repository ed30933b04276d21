package uplink

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// service listens at an address and counts who comes; it sends back what it gets.
type service struct {
	net.Listener
	came atomic.Int64
}

func listenAt(t *testing.T, ip string) *service {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Fatal(err)
	}
	s := &service{Listener: ln}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.came.Add(1)
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return s
}

// hostileHub is a hub built on core/tunnel alone, with one node attached, which does what it likes.
type hostileHub struct {
	ca      *pki.Authority
	session *tunnel.Session
	// The node's pod, the machine's service behind the pods' gateway, and one at another address that
	// the machine has in the pods' network.
	pod, gateway, local *service
}

// The node's pods are addresses of loopback that no interface names, so that nobody needs root.
var pods = netip.MustParsePrefix("127.77.0.0/24")

func newHostileHub(t *testing.T) *hostileHub {
	t.Helper()
	ca, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	h := &hostileHub{
		ca: ca, pod: listenAt(t, "127.77.0.5"), gateway: listenAt(t, "127.77.0.1"), local: listenAt(t, "127.77.0.9"),
	}
	sessions := make(chan *tunnel.Session, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		wire := websocket.NetConn(context.Background(), ws, websocket.MessageBinary)
		if _, _, err := tunnel.Accept(r.Context(), wire, func(tunnel.Hello) (tunnel.Welcome, error) {
			return tunnel.Welcome{Name: "tab"}, nil
		}); err != nil {
			t.Error(err)
			return
		}
		s, err := tunnel.NewHubSession(wire, tunnel.Options{})
		if err != nil {
			t.Error(err)
			return
		}
		sessions <- s
		<-s.Done()
	}))
	allowed := &AllowList{
		Node: netip.MustParseAddr("192.0.2.7"), KubeletPort: 10250,
		Local: func() ([]net.Addr, error) {
			return []net.Addr{&net.IPNet{IP: net.ParseIP("127.77.0.9"), Mask: net.CIDRMask(24, 32)}}, nil
		},
	}
	allowed.SetPods([]netip.Prefix{pods})
	l, err := New(Options{
		Hub: srv.URL, Instance: strings.Repeat("i", 32), Allow: allowed.Allow, Log: slog.New(slog.DiscardHandler),
		Identity: nodedial.Identity{
			Certificate: func() (*tls.Certificate, error) { c := h.serving(t, "worker"); return &c, nil },
			CA:          func() (*x509.CertPool, error) { return poolOf(ca), nil },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	h.session = <-sessions
	t.Cleanup(func() { cancel(); <-ended; _ = h.session.Close(); srv.Close() })
	return h
}

func poolOf(a *pki.Authority) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	return pool
}

func keyPair(t *testing.T, p pki.Pair, err error) tls.Certificate {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	c, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serving is a kubelet's serving certificate.
func (h *hostileHub) serving(t *testing.T, node string) tls.Certificate {
	p, err := (&pki.Cluster{CA: h.ca}).NodeServer(node, net.ParseIP("192.0.2.7"))
	return keyPair(t, p, err)
}

// dialler is the certificate that only the cluster has.
func dialler(t *testing.T, a *pki.Authority) tls.Certificate {
	t.Helper()
	return named(t, a, "kube-apiserver-kubelet-client", "system:masters")
}

// named is a client certificate of somebody.
func named(t *testing.T, a *pki.Authority, user, group string) tls.Certificate {
	t.Helper()
	p, err := a.Client(user, group)
	return keyPair(t, p, err)
}

// dial has the hub open a stream at the node.
func (h *hostileHub) dial(t *testing.T, target string) net.Conn {
	t.Helper()
	s, err := h.session.Open(tunnel.Header{Kind: tunnel.KindDial, Target: target})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	_ = s.SetDeadline(time.Now().Add(time.Minute))
	return s
}

// as dials as somebody with that certificate.
func (h *hostileHub) as(t *testing.T, who tls.Certificate, over net.Conn, address string) (net.Conn, error) {
	t.Helper()
	c, err := nodedial.Client(t.Context(), over, who, poolOf(h.ca), "worker", address)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

// echo says whether what is at the other end sends back what it gets, the end included.
func echo(c net.Conn) bool {
	if _, err := io.WriteString(c, "anybody?"); err != nil {
		return false
	}
	if half, ok := c.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		return false
	}
	got, err := io.ReadAll(c)
	return err == nil && string(got) == "anybody?"
}

// untouched says that nobody came to what is not to be reached.
func (h *hostileHub) untouched(t *testing.T, what string, came int64) {
	t.Helper()
	if n := h.pod.came.Load(); n != came {
		t.Errorf("%s: the pod was reached %d times, want %d", what, n, came)
	}
	if h.gateway.came.Load()+h.local.came.Load() != 0 {
		t.Errorf("%s: the machine was reached", what)
	}
}

func TestTheClusterDials(t *testing.T) {
	h := newHostileHub(t)
	c, err := h.as(t, dialler(t, h.ca), h.dial(t, nodedial.Target), h.pod.Addr().String())
	if err != nil || !echo(c) {
		t.Errorf("the pod does not answer: %v", err)
	}
	// Not even the cluster reaches the machine, or what is nobody's.
	for what, address := range map[string]string{
		"the machine, as its pods' gateway": h.gateway.Addr().String(),
		"an address of the machine":         h.local.Addr().String(),
		"the network itself":                "127.77.0.0:80",
		"the network's broadcast":           "127.77.0.255:80",
		"is neither":                        "127.0.0.1:22",
	} {
		if _, err := h.as(t, dialler(t, h.ca), h.dial(t, nodedial.Target), address); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v, want one that says %q", address, err, what)
		}
	}
	h.untouched(t, "the cluster's dials", 1)
}

// A hub opens what it likes; without the cluster behind it, it reaches nothing.
func TestAHubDials(t *testing.T) {
	h := newHostileHub(t)
	for what, address := range map[string]string{
		"the machine behind the gateway": h.gateway.Addr().String(),
		"a pod":                          h.pod.Addr().String(),
		"the kubelet":                    "192.0.2.7:10250",
	} {
		if _, err := h.dial(t, address).Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "proves") {
			t.Errorf("%s by its address: %v", what, err)
		}
	}
	other, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	for what, who := range map[string]tls.Certificate{
		"a CA of its own":          dialler(t, other),
		"a node's, of the CA":      named(t, h.ca, "system:node:evil", "system:nodes"),
		"an owner's, of the CA":    named(t, h.ca, "ada", "kubeadm:cluster-admins"),
		"the name, not the group":  named(t, h.ca, "kube-apiserver-kubelet-client", "kubeadm:cluster-admins"),
		"a serving certificate":    h.serving(t, "worker"),
		"no certificate whichever": {},
	} {
		if c, err := h.as(t, who, h.dial(t, nodedial.Target), h.pod.Addr().String()); err == nil {
			t.Errorf("with %s: the node dials (%v)", what, echo(c))
		}
	}
	plain := h.dial(t, nodedial.Target)
	_, _ = io.WriteString(plain, "\x00\x0e127.77.0.5:8080")
	if got, err := io.ReadAll(io.LimitReader(plain, 64)); err == nil && len(got) > 0 && got[0] != 0x15 {
		t.Errorf("without TLS the node says %q", got)
	}
	h.untouched(t, "a hub's own dials", 0)
}

// A node that leaves has no identity: a hub that dials it then gets nothing, and does no harm.
func TestANodeThatTakesNoDials(t *testing.T) {
	near, far := net.Pipe()
	(&Options{Log: slog.New(slog.DiscardHandler)}).serve(t.Context(), tunnel.Header{Kind: tunnel.KindDial, Target: nodedial.Target}, far)
	if _, err := near.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the stream is still there: %v", err)
	}
}

// recorder keeps what one side sent, and may change it on the way.
type recorder struct {
	net.Conn
	mu     sync.Mutex
	sent   [][]byte
	change func(n int, b []byte) // of the n-th write
}

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	b = bytes.Clone(b)
	if r.change != nil {
		r.change(len(r.sent), b)
	}
	r.sent = append(r.sent, b)
	r.mu.Unlock()
	return r.Conn.Write(b)
}

// What the cluster once sent leads nowhere a second time, and nowhere else.
func TestAHubThatReplaysOrAlters(t *testing.T) {
	h := newHostileHub(t)
	once := &recorder{Conn: h.dial(t, nodedial.Target)}
	c, err := h.as(t, dialler(t, h.ca), once, h.pod.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "x"); err != nil {
		t.Fatal(err)
	}
	again := h.dial(t, nodedial.Target)
	for _, b := range once.sent {
		_, _ = again.Write(b)
	}
	_, _ = io.Copy(io.Discard, again) // the node ends it
	h.untouched(t, "a replayed dial", 1)
	// The writes are the client's hello, its certificate with the end of the handshake, the address.
	for n := range len(once.sent) - 1 {
		altered := &recorder{Conn: h.dial(t, nodedial.Target), change: func(i int, b []byte) {
			if i == n {
				b[len(b)-1] ^= 1
			}
		}}
		if _, err := h.as(t, dialler(t, h.ca), altered, h.pod.Addr().String()); err == nil {
			t.Errorf("a dial whose write %d was changed on the way is served", n)
		}
	}
	h.untouched(t, "an altered dial", 1)
}

// A hub that answers in the node's place, or leads to another node, is not taken for it.
func TestAHubThatAnswersForTheNode(t *testing.T) {
	ca, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	other, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	serving := func(a *pki.Authority, node string) tls.Certificate {
		p, err := (&pki.Cluster{CA: a}).NodeServer(node, net.ParseIP("192.0.2.7"))
		return keyPair(t, p, err)
	}
	for what, c := range map[string]struct {
		cert tls.Certificate
		ok   bool
	}{
		"the node":                        {serving(ca, "worker"), true},
		"another node of the cluster":     {serving(ca, "evil"), false},
		"a CA of the hub's":               {serving(other, "worker"), false},
		"the node's client certificate":   {named(t, ca, "system:node:worker", "system:nodes"), false},
		"an owner who is called the node": {named(t, ca, "worker", "kubeadm:cluster-admins"), false},
	} {
		near, far := net.Pipe()
		go func() {
			from, to, err := nodedial.Accept(t.Context(), far, nodedial.Identity{
				Certificate: func() (*tls.Certificate, error) { return &c.cert, nil },
				CA:          func() (*x509.CertPool, error) { return poolOf(ca), nil },
			}, func(context.Context, string) (net.Conn, error) { a, _ := net.Pipe(); return a, nil })
			if err == nil {
				_, _ = from.Close(), to.Close()
			}
		}()
		_, err := nodedial.Client(t.Context(), near, dialler(t, ca), poolOf(ca), "worker", "10.244.7.3:80")
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
		_ = near.Close()
	}
}
