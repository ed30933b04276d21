package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// service is a registry.
type service struct {
	listen string
	// user is NAME:PASSWORD that it asks for, if it is not empty.
	user string
	// ca is a file that the certificate of a CA of its own is written to; without it, it is plain HTTP.
	ca string
	// rate is how many bytes of a layer it sends in a second; 0 is all it can, as it is after a SIGUSR1.
	rate int
}

// serve serves archives until ctx is done; an image REGISTRY/PATH:TAG is found at PATH:TAG. It prints
// "ready ADDRESS" to out.
func (s service) serve(ctx context.Context, archives []string, out io.Writer) error {
	quiet := log.New(io.Discard, "", 0)
	images := registry.New(registry.Logger(quiet))
	ln, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listen for the registry: %w", err)
	}
	defer ln.Close()
	server := &http.Server{Handler: s.guarded(s.paced(images)), ErrorLog: quiet}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := fill(ctx, images, archives); err != nil {
		return err
	}
	if s.ca != "" {
		if server.TLSConfig, err = s.certificate(ln.Addr()); err != nil {
			return err
		}
		ln = tls.NewListener(ln, server.TLSConfig)
	}
	fmt.Fprintf(out, "ready %s\n", ln.Addr())
	if err := server.Serve(ln); ctx.Err() == nil {
		return err
	}
	return nil
}

// slowly is a response that is sent at a rate, by its request.
type slowly struct {
	http.ResponseWriter
	request *http.Request
	rate    int
	hurry   <-chan struct{}
}

func (s slowly) Write(b []byte) (n int, err error) {
	for piece := range slices.Chunk(b, max(1, s.rate/10)) {
		m, err := s.ResponseWriter.Write(piece)
		n += m
		if err != nil {
			return n, err
		}
		if err := http.NewResponseController(s.ResponseWriter).Flush(); err != nil {
			return n, err
		}
		select {
		case <-time.After(time.Second / 10):
		case <-s.hurry:
		case <-s.request.Context().Done():
			return n, s.request.Context().Err()
		}
	}
	return n, nil
}

func (s service) paced(images http.Handler) http.Handler {
	if s.rate == 0 {
		return images
	}
	signals, hurry := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		<-signals
		close(hurry)
	}()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		images.ServeHTTP(slowly{w, r, s.rate, hurry}, r)
	})
}

// guarded asks for the user.
func (s service) guarded(images http.Handler) http.Handler {
	if s.user == "" {
		return images
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if subtle.ConstantTimeCompare([]byte(user+":"+password), []byte(s.user)) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="images"`)
			http.Error(w, `{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}`, http.StatusUnauthorized)
			return
		}
		images.ServeHTTP(w, r)
	})
}

// certificate makes one for the address, which is its own CA, and writes it where it was asked for.
func (s service) certificate(at net.Addr) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the registry's key: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "images"}, IPAddresses: []net.IP{at.(*net.TCPAddr).IP},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the registry's certificate: %w", err)
	}
	if err := os.WriteFile(s.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		return nil, fmt.Errorf("write the registry's CA: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, nil
}

// fill puts the archives into the registry.
func fill(ctx context.Context, images http.Handler, archives []string) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for what fills the registry: %w", err)
	}
	inner := &http.Server{Handler: images}
	ended := make(chan error, 1)
	go func() { ended <- inner.Serve(ln) }()
	for _, a := range archives {
		if err = push(ctx, a, ln.Addr().String()); err != nil {
			err = fmt.Errorf("serve %s: %w", a, err)
			break
		}
	}
	_ = inner.Close()
	if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// push puts every tag of an archive into the registry at address.
func push(ctx context.Context, archive, address string) error {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(archive) })
	if err != nil {
		return err
	}
	for _, m := range manifest {
		for _, t := range m.RepoTags {
			tag, err := name.NewTag(t)
			if err != nil {
				return err
			}
			img, err := tarball.ImageFromPath(archive, &tag)
			if err != nil {
				return err
			}
			to, err := name.NewTag(strings.Join([]string{address, tag.RepositoryStr()}, "/")+":"+tag.TagStr(), name.Insecure)
			if err != nil {
				return err
			}
			if err := remote.Write(to, img, remote.WithContext(ctx)); err != nil {
				return err
			}
		}
	}
	return nil
}
