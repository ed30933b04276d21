package realnode

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// A node that says so is dialled by proof, of which the hub sees the route only; a node of an earlier
// version, which does not, is dialled as before.
func TestHowANodeIsDialled(t *testing.T) {
	ca, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	pair := func(p pki.Pair, err error) tls.Certificate {
		if err != nil {
			t.Fatal(err)
		}
		c, err := tls.X509KeyPair(p.Cert, p.Key)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	serving := pair((&pki.Cluster{CA: ca}).NodeServer("worker", net.ParseIP("192.0.2.7")))
	pool := x509.NewCertPool()
	pool.AddCert(ca.Cert)
	var target string
	asked := make(chan string, 1)
	o := testOptions(nil)
	o.CA, o.Dialler = pool, pair(ca.Client("kube-apiserver-kubelet-client", "system:masters"))
	o.Open = func(h tunnel.Header) (net.Conn, error) {
		target = h.Target
		near, far := net.Pipe()
		go func() {
			_, _, _ = nodedial.Accept(t.Context(), far, nodedial.Identity{
				Certificate: func() (*tls.Certificate, error) { return &serving, nil },
				CA:          func() (*x509.CertPool, error) { return pool, nil },
			}, func(_ context.Context, address string) (net.Conn, error) {
				asked <- address
				near, _ := net.Pipe()
				return near, nil
			})
		}()
		return near, nil
	}
	r := newRoutes(o)
	n := realNode("worker", "r1", "10.244.7.0/24", "192.0.2.7")
	n.Annotations[wellknown.DialAnnotation] = nodedial.Target
	r.update(n)
	c, err := o.Router.DialContext(t.Context(), "tcp", "10.244.7.3:80")
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if got := <-asked; got != "10.244.7.3:80" || target != "r1 tls" {
		t.Errorf("the node is asked for %s, the hub for %q", got, target)
	}
	// The same Node of an earlier version.
	n = n.DeepCopy()
	delete(n.Annotations, wellknown.DialAnnotation)
	r.update(n)
	if c, err = o.Router.DialContext(t.Context(), "tcp", "10.244.7.3:80"); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if target != "r1 10.244.7.3:80" {
		t.Errorf("the hub is asked for %q", target)
	}
}
