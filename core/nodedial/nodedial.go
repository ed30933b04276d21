package nodedial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

// Target is what stands in a stream's header in the place of an address.
const Target = "tls"

// Steps is what the cluster asks for in the place of an address to be told what the node does
// (core/realnode/told). A node of an earlier version takes it for an address, and refuses.
const Steps = "steps"

const (
	protocol    = "tabernetes-node-dial/1" // in the handshake
	podProtocol = "tabernetes-pod-dial/1"
	// patience is how long handshake, request and the dial that it asks for may take.
	patience = 30 * time.Second
	// maxText is the size of an address or an error in bytes.
	maxText = 512
)

// Whose certificates are taken. The cluster's is the one by which kubelets know the API server, in a
// group that the cluster's signers give to nobody; a node's is its kubelet's, whose name the
// Node authorizer goes by.
const (
	clusterGroup = "system:masters"
	clusterUser  = "kube-apiserver-kubelet-client"
	nodesGroup   = "system:nodes"
	nodeUser     = "system:node:"
)

// Client dials an address ("host:port") at a node, over a stream that leads there. The stream is
// closed if that fails; what the node says then is in the error.
func Client(ctx context.Context, stream net.Conn, own tls.Certificate, ca *x509.CertPool, node, address string) (net.Conn, error) {
	conn := tls.Client(stream, &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{protocol},
		Certificates:       []tls.Certificate{own},
		InsecureSkipVerify: true, //nolint:gosec // by whose it is, and not by an address: below
		VerifyConnection:   verify(protocol, func() (*x509.CertPool, error) { return ca, nil }, x509.ExtKeyUsageServerAuth, nodeUser+node, nodesGroup),
	})
	defer bound(ctx, stream)()
	err := conn.HandshakeContext(ctx)
	if err == nil {
		err = writeText(conn, address)
	}
	var refusal string
	if err == nil {
		refusal, err = readText(conn)
	}
	if err == nil && refusal != "" {
		err = errors.New(refusal)
	}
	if err != nil {
		_ = stream.Close()
		return nil, err
	}
	return conn, nil
}

// Identity is a node's, read anew for each dial: certificates are rotated.
type Identity struct {
	// Certificate is the kubelet's serving certificate.
	Certificate func() (*tls.Certificate, error)
	// CA is the cluster's.
	CA func() (*x509.CertPool, error)
}

// Accept takes a dial of the cluster from a stream; whoever else is at its other end gets an error. It
// asks dial for a connection to the address that the cluster names, tells the cluster how that went,
// and returns both connections.
func Accept(ctx context.Context, stream net.Conn, id Identity, dial func(ctx context.Context, address string) (net.Conn, error)) (from, to net.Conn, err error) {
	conn := tls.Server(stream, &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{protocol},
		GetCertificate:         func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return id.Certificate() },
		ClientAuth:             tls.RequireAnyClientCert, // verified below
		VerifyConnection:       verify(protocol, id.CA, x509.ExtKeyUsageClientAuth, clusterUser, clusterGroup),
		SessionTicketsDisabled: true, // each dial proves itself
	})
	defer bound(ctx, stream)()
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, nil, fmt.Errorf("it is not the cluster's: %w", err)
	}
	address, err := readText(conn)
	if err != nil {
		return nil, nil, fmt.Errorf("read what is dialled: %w", err)
	}
	to, err = answer(ctx, conn, func(ctx context.Context) (net.Conn, error) { return dial(ctx, address) })
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return conn, to, nil
}

// answer makes the dial that the other end of conn asked for and tells it how that went: nothing, or the
// error's text. What ErrDropped is wrapped in is not told.
func answer(ctx context.Context, conn net.Conn, dial func(context.Context) (net.Conn, error)) (to net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	to, err = dial(ctx)
	text := ""
	switch {
	case errors.Is(err, ErrDropped):
		text = ErrDropped.Error()
	case err != nil:
		text = err.Error()
		text = text[:min(len(text), maxText)]
	}
	if werr := writeText(conn, text); err == nil && werr != nil {
		_ = to.Close()
		err = werr
	}
	return to, err
}

// verify wants a protocol, and a certificate of the CA for one user of one group.
func verify(protocol string, ca func() (*x509.CertPool, error), usage x509.ExtKeyUsage, user, group string) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		name, err := member(s, protocol, ca, usage, group)
		if err == nil && name != user {
			err = fmt.Errorf("the certificate is that of %q, not of %q", name, user)
		}
		return err
	}
}

// member is who the other side is, by a certificate of the CA for a user of one group.
func member(s tls.ConnectionState, protocol string, ca func() (*x509.CertPool, error), usage x509.ExtKeyUsage, group string) (user string, err error) {
	if s.NegotiatedProtocol != protocol {
		return "", fmt.Errorf("the connection is not for %s", protocol)
	}
	if len(s.PeerCertificates) == 0 {
		return "", errors.New("there is no certificate")
	}
	roots, err := ca()
	if err != nil {
		return "", err
	}
	leaf := s.PeerCertificates[0]
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
		return "", err
	}
	if !slices.Equal(leaf.Subject.Organization, []string{group}) {
		return "", fmt.Errorf("the certificate is that of %q in %q, not in %q", leaf.Subject.CommonName, leaf.Subject.Organization, group)
	}
	return leaf.Subject.CommonName, nil
}

// bound has ctx and patience end what happens on a stream, until end is called.
func bound(ctx context.Context, stream net.Conn) (end func()) {
	_ = stream.SetDeadline(time.Now().Add(patience))
	stop := context.AfterFunc(ctx, func() { _ = stream.SetDeadline(time.Unix(1, 0)) })
	return func() {
		if stop() {
			_ = stream.SetDeadline(time.Time{})
		}
	}
}

// writeText writes a text behind its length, 16 bits big-endian.
func writeText(w io.Writer, text string) error {
	if len(text) > maxText {
		return fmt.Errorf("a text of %d bytes is too long: %d are allowed", len(text), maxText)
	}
	_, err := w.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...))
	return err
}

func readText(r io.Reader) (string, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return "", err
	}
	n := binary.BigEndian.Uint16(size[:])
	if n > maxText {
		return "", fmt.Errorf("a text of %d bytes was announced: %d are allowed", n, maxText)
	}
	text := make([]byte, n)
	_, err := io.ReadFull(r, text)
	return string(text), err
}
