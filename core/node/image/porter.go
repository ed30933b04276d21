package image

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxPorters is how many ports a porter serves.
const maxPorters = 100

// porter serves texts on the ports that its environment names: SERVE_PORT_80, SERVE_TCP_PORT_80,
// SERVE_TLS_PORT_443, SERVE_UDP_PORT_53 (upstream's test/images/agnhost/README.md, "porter"). asJSON
// answers with the request's method, too. It ends when ctx does, or one port fails.
func porter(ctx context.Context, p *program.Process, asJSON bool) int {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	n := 0
	for _, entry := range p.Env {
		name, value, _ := strings.Cut(entry, "=")
		kind, number, ok := strings.Cut(strings.TrimPrefix(name, "SERVE_"), "PORT_")
		port, err := strconv.ParseUint(number, 10, 16)
		if !strings.HasPrefix(name, "SERVE_") || !ok || err != nil {
			continue
		}
		if n++; n > maxPorters {
			fmt.Fprintf(p.Stderr, "more than %d ports\n", maxPorters)
			return 1
		}
		go func() {
			err := servePort(ctx, p, kind, int(port), porterHandler(value, asJSON), value)
			if ctx.Err() == nil {
				end(fmt.Errorf("serve port %d: %w", port, err))
			}
		}()
	}
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	return 0
}

func porterHandler(value string, asJSON bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asJSON {
			_, _ = io.WriteString(w, value)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"Method": r.Method, "Body": value})
	})
}

func servePort(ctx context.Context, p *program.Process, kind string, port int, h http.Handler, value string) error {
	if kind == "UDP_" {
		return sayByDatagram(ctx, p, port, value)
	}
	if kind != "" && kind != "TCP_" && kind != "TLS_" {
		return fmt.Errorf("protocol %q: the tab carries TCP and UDP", kind)
	}
	ln, err := p.Net.Listen(ctx, "tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if kind == "" || kind == "TCP_" {
		return server.Serve(ln)
	}
	pair, err := certificateOf(p)
	if err != nil {
		return errors.Join(fmt.Errorf("make a certificate: %w", err), ln.Close())
	}
	server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return server.ServeTLS(ln, "", "")
}

// sayByDatagram answers each datagram with a text.
func sayByDatagram(ctx context.Context, p *program.Process, port int, value string) error {
	c, err := p.Net.ListenPacket(ctx, "udp", fmt.Sprintf(":%d", port))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	buf := make([]byte, maxRequest)
	for {
		_, from, err := c.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err == nil {
			_, _ = io.WriteString(answering{c, from}, value)
		}
	}
}

// certificateOf is the one that CERT_FILE and KEY_FILE name, as upstream has it, or one of our own.
func certificateOf(p *program.Process) (tls.Certificate, error) {
	certFile, keyFile := p.Getenv("CERT_FILE"), p.Getenv("KEY_FILE")
	if certFile == "" && keyFile == "" {
		return ownCertificate()
	}
	var pem [2][]byte
	for i, name := range []string{certFile, keyFile} {
		f, err := p.Open(name)
		if err != nil {
			return tls.Certificate{}, err
		}
		pem[i], err = io.ReadAll(io.LimitReader(f, 64<<10))
		if err := errors.Join(err, f.Close()); err != nil {
			return tls.Certificate{}, err
		}
	}
	return tls.X509KeyPair(pem[0], pem[1])
}

// ownCertificate is one that nobody has signed, for localhost.
func ownCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		DNSNames: []string{"localhost", "example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
