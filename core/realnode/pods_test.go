package realnode

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// podRig is a cluster with an in-tab node and two real ones, and what its in-tab pods are dialled from.
type podRig struct {
	t       *testing.T
	ca      *pki.Authority
	server  *Server
	dialled chan string
	fails   error
}

func newPodRig(t *testing.T) *podRig {
	ca, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	r := &podRig{t: t, ca: ca, dialled: make(chan string, 4*maxPodDials)}
	o := testOptions(func(tunnel.Header) {})
	o.Dialler, o.CA = r.pair(ca.Client("kube-apiserver-kubelet-client", "system:masters")), r.pool()
	o.DialPod = func(_ context.Context, from netip.Addr, to netip.AddrPort) (net.Conn, error) {
		r.dialled <- from.String() + " " + to.String()
		if r.fails != nil {
			return nil, r.fails
		}
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(far, far) }()
		return near, nil
	}
	r.server = New(o)
	routes := r.server.routes
	routes.update(made(inTabNode("node-1", "10.244.0.0/24", "172.30.0.11"), 0))
	routes.update(made(realNode("worker", "w", "10.244.7.0/24", "192.0.2.7"), 1))
	routes.update(made(realNode("other", "o", "10.244.8.0/24", "192.0.2.8"), 2))
	return r
}

func (r *podRig) pair(p pki.Pair, err error) tls.Certificate {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *podRig) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(r.ca.Cert)
	return pool
}

// dial asks for a pod as the holder of a certificate.
func (r *podRig) dial(own tls.Certificate, source, pod string) (net.Conn, error) {
	near, far := net.Pipe()
	go r.server.ServePod(r.t.Context(), far)
	return nodedial.DialPod(r.t.Context(), near, nodedial.Identity{
		Certificate: func() (*tls.Certificate, error) { return &own, nil },
		CA:          func() (*x509.CertPool, error) { return r.pool(), nil },
	}, netip.MustParseAddr(source), netip.MustParseAddrPort(pod))
}

func (r *podRig) node(name string) tls.Certificate {
	return r.pair((&pki.Cluster{CA: r.ca}).NodeServer(name, net.ParseIP("192.0.2.7")))
}

// What a node reaches, and as whom: only in-tab pods, and as nobody but itself and its own pods.
func TestWhatARealNodeReaches(t *testing.T) {
	r := newPodRig(t)
	for _, c := range []struct{ what, source, pod, want string }{
		{"a pod of the node", "10.244.7.5", "10.244.0.9:80", "10.244.7.5 10.244.0.9:80"},
		{"the node itself", "192.0.2.7", "10.244.0.9:80", "192.0.2.7 10.244.0.9:80"},
		{"an address that is mapped", "::ffff:10.244.7.5", "10.244.0.9:80", "10.244.7.5 10.244.0.9:80"},
		{"a pod of another node", "10.244.8.5", "10.244.0.9:80", "192.0.2.7 10.244.0.9:80"},
		{"an in-tab pod", "10.244.0.3", "10.244.0.9:80", "192.0.2.7 10.244.0.9:80"},
		{"an in-tab node, which policies always let in", "172.30.0.11", "10.244.0.9:80", "192.0.2.7 10.244.0.9:80"},
		{"another node", "192.0.2.8", "10.244.0.9:80", "192.0.2.7 10.244.0.9:80"},
		{"loopback", "127.0.0.1", "10.244.0.9:80", "192.0.2.7 10.244.0.9:80"},
		{"to another node's pod", "10.244.7.5", "10.244.8.9:80", ""},
		{"to its own pod", "10.244.7.5", "10.244.7.9:80", ""},
		{"to nobody's pod", "10.244.7.5", "10.244.99.9:80", ""},
		{"to a Service", "10.244.7.5", "10.96.0.1:443", ""},
		{"to the API server", "10.244.7.5", "172.30.0.10:6443", ""},
		{"to an in-tab kubelet", "10.244.7.5", "172.30.0.11:10250", ""},
		{"to loopback", "10.244.7.5", "127.0.0.1:6443", ""},
		{"to no port", "10.244.7.5", "10.244.0.9:0", ""},
	} {
		conn, err := r.dial(r.node("worker"), c.source, c.pod)
		switch {
		case c.want == "" && (err == nil || !strings.Contains(err.Error(), "is no in-tab pod's")):
			t.Errorf("%s: %v", c.what, err)
		case c.want == "" && len(r.dialled) > 0:
			t.Errorf("%s: %s was dialled", c.what, <-r.dialled)
		case c.want == "":
		case err != nil:
			t.Errorf("%s: %v", c.what, err)
		default:
			if got := <-r.dialled; got != c.want {
				t.Errorf("%s: dialled %s, want %s", c.what, got, c.want)
			}
			_, _ = io.WriteString(conn, "hello")
			answer := make([]byte, 5)
			if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "hello" {
				t.Errorf("%s: %q, %v", c.what, answer, err)
			}
			_ = conn.Close()
		}
	}
}

func TestWhoIsNoNodeReachesNoPod(t *testing.T) {
	r := newPodRig(t)
	stranger, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	for what, own := range map[string]tls.Certificate{
		"another cluster's node":      r.pair((&pki.Cluster{CA: stranger}).NodeServer("worker", net.ParseIP("192.0.2.7"))),
		"a node's client certificate": r.pair(r.ca.Client("system:node:worker", "system:nodes")),
		"an administrator":            r.pair(r.ca.Client("kubernetes-admin", "system:masters")),
		"a Node that there is not":    r.node("nobody"),
		"an in-tab node's, from afar": r.node("node-1"),
	} {
		if conn, err := r.dial(own, "10.244.7.5", "10.244.0.9:80"); err == nil {
			_ = conn.Close()
			t.Errorf("%s reaches a pod", what)
		}
	}
	if len(r.dialled) > 0 {
		t.Errorf("%s was dialled", <-r.dialled)
	}
	// A node asks nobody but its own cluster.
	near, far := net.Pipe()
	own, evil := r.node("worker"), r.pair(stranger.Client("kube-apiserver-kubelet-client", "system:masters"))
	pool := x509.NewCertPool()
	pool.AddCert(r.ca.Cert)
	go func() {
		_, _, _ = nodedial.AcceptPod(t.Context(), far, evil, pool, func(context.Context, string, netip.Addr, netip.AddrPort) (net.Conn, error) {
			t.Error("a stranger heard what a node dials")
			return nil, errors.New("heard")
		})
		_ = far.Close()
	}()
	if _, err := nodedial.DialPod(t.Context(), near, nodedial.Identity{
		Certificate: func() (*tls.Certificate, error) { return &own, nil },
		CA:          func() (*x509.CertPool, error) { return pool, nil },
	}, netip.MustParseAddr("10.244.7.5"), netip.MustParseAddrPort("10.244.0.9:80")); err == nil {
		t.Error("a stranger was taken for the cluster")
	}
}

func TestARefusalAndASilenceAreToldApart(t *testing.T) {
	r := newPodRig(t)
	r.fails = nodedial.ErrDropped
	if _, err := r.dial(r.node("worker"), "10.244.7.5", "10.244.0.9:80"); !errors.Is(err, nodedial.ErrDropped) {
		t.Errorf("what a policy drops: %v", err)
	}
	r.fails = errors.New("connection refused")
	if _, err := r.dial(r.node("worker"), "10.244.7.5", "10.244.0.9:80"); err == nil || errors.Is(err, nodedial.ErrDropped) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("what nobody listens for: %v", err)
	}
}

// A node that opens connections without end has its share, and leaves another one its own.
func TestANodesConnectionsToPodsAreBounded(t *testing.T) {
	r := newPodRig(t)
	own := r.node("worker")
	var open []net.Conn
	for range maxPodDials {
		c, err := r.dial(own, "10.244.7.5", "10.244.0.9:80")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	if _, err := r.dial(own, "10.244.7.5", "10.244.0.9:80"); err == nil || !strings.Contains(err.Error(), "as many as it may have") {
		t.Errorf("one more: %v", err)
	}
	c, err := r.dial(r.node("other"), "10.244.8.5", "10.244.0.9:80")
	if err != nil {
		t.Errorf("another node: %v", err)
	} else {
		_ = c.Close()
	}
	for _, c := range open {
		_ = c.Close()
	}
}
