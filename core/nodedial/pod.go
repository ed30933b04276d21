package nodedial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// ErrDropped is why there is no connection to a pod if a firewall would say nothing: who dials is to
// wait, and not to be refused.
var ErrDropped = errors.New("dropped")

// DialPod asks the cluster, over a stream that leads there, for a connection from source, an address of
// this node or of one of its pods, to an in-tab pod. The stream is closed if that fails; what the cluster
// says then is in the error, ErrDropped among it. Both sides prove who they are as in a dial of the cluster:
// the node with what its kubelet serves with, so that it has the server's part in the handshake.
func DialPod(ctx context.Context, stream net.Conn, id Identity, source netip.Addr, pod netip.AddrPort) (net.Conn, error) {
	conn := tls.Server(stream, &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{podProtocol},
		GetCertificate:         func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return id.Certificate() },
		ClientAuth:             tls.RequireAnyClientCert, // verified below
		VerifyConnection:       verify(podProtocol, id.CA, x509.ExtKeyUsageClientAuth, clusterUser, clusterGroup),
		SessionTicketsDisabled: true, // each dial proves itself
	})
	defer bound(ctx, stream)()
	err := conn.HandshakeContext(ctx)
	if err == nil {
		err = writeText(conn, source.String()+" "+pod.String())
	}
	var refusal string
	if err == nil {
		refusal, err = readText(conn)
	}
	switch {
	case err == nil && refusal == ErrDropped.Error():
		err = ErrDropped
	case err == nil && refusal != "":
		err = errors.New(refusal)
	}
	if err != nil {
		_ = stream.Close()
		return nil, err
	}
	return conn, nil
}

// AcceptPod takes a node's request for a connection to an in-tab pod from a stream; whoever else is at its
// other end gets an error. It asks dial for it, with the name of the node that asks, tells the node how
// that went, and returns both connections. What the node says of the source is its word.
func AcceptPod(ctx context.Context, stream net.Conn, own tls.Certificate, ca *x509.CertPool, dial func(ctx context.Context, node string, source netip.Addr, pod netip.AddrPort) (net.Conn, error)) (from, to net.Conn, err error) {
	var node string
	conn := tls.Client(stream, &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{podProtocol},
		Certificates:       []tls.Certificate{own},
		InsecureSkipVerify: true, //nolint:gosec // by whose it is, and not by an address: below
		VerifyConnection: func(s tls.ConnectionState) error {
			user, err := member(s, podProtocol, func() (*x509.CertPool, error) { return ca, nil }, x509.ExtKeyUsageServerAuth, nodesGroup)
			if err != nil {
				return err
			}
			name, ok := strings.CutPrefix(user, nodeUser)
			if !ok {
				return fmt.Errorf("the certificate is that of %q, which is no node", user)
			}
			node = name
			return nil
		},
	})
	defer bound(ctx, stream)()
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, nil, fmt.Errorf("it is no node's: %w", err)
	}
	text, err := readText(conn)
	if err != nil {
		return nil, nil, fmt.Errorf("read what node %s dials: %w", node, err)
	}
	to, err = answer(ctx, conn, func(ctx context.Context) (net.Conn, error) {
		source, pod, err := parsePodDial(text)
		if err != nil {
			return nil, err
		}
		return dial(ctx, node, source, pod)
	})
	if err != nil {
		_ = conn.Close()
		return nil, nil, fmt.Errorf("node %s: %w", node, err)
	}
	return conn, to, nil
}

func parsePodDial(text string) (source netip.Addr, pod netip.AddrPort, err error) {
	from, at, _ := strings.Cut(text, " ")
	if source, err = netip.ParseAddr(from); err == nil {
		pod, err = netip.ParseAddrPort(at)
	}
	if err != nil || source.Zone() != "" || pod.Addr().Zone() != "" {
		return source, pod, fmt.Errorf("%.80q is no source and no pod's address and port", text)
	}
	return source.Unmap(), netip.AddrPortFrom(pod.Addr().Unmap(), pod.Port()), nil
}
