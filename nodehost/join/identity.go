package join

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/nodehost/kubelet"
)

// dialPod connects an address of this machine or of one of its pods to a pod of an in-tab node.
func (n *node) dialPod(ctx context.Context, source netip.Addr, pod netip.AddrPort) (net.Conn, error) {
	stream, err := n.link.OpenPod(ctx)
	if err != nil {
		return nil, err
	}
	return nodedial.DialPod(ctx, stream, n.identity(), source, pod)
}

// identity is what the cluster knows the node by when it dials it: what the kubelet serves with, and
// the CA that the machine has joined. Both are read at each dial: the one comes after the node has
// registered, and is rotated.
func (n *node) identity() nodedial.Identity {
	return nodedial.Identity{
		Certificate: func() (*tls.Certificate, error) {
			file := kubelet.ServerCert(n.Place.Kubelet())
			pair, err := tls.LoadX509KeyPair(file, file)
			if err != nil {
				return nil, fmt.Errorf("read the kubelet's serving certificate: %w", err)
			}
			return &pair, nil
		},
		CA: func() (*x509.CertPool, error) {
			text, err := os.ReadFile(n.Place.CA())
			if err != nil {
				return nil, fmt.Errorf("read the cluster's CA: %w", err)
			}
			pool := x509.NewCertPool()
			if !pool.AppendCertsFromPEM(text) {
				return nil, fmt.Errorf("read the cluster's CA: %s has no certificate", n.Place.CA())
			}
			return pool, nil
		},
	}
}
