package uplink

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/hubtls"
)

// tlsHub is a hub with a certificate of its own, which welcomes every node.
func tlsHub(t *testing.T) (url, pin string) {
	t.Helper()
	cert, err := hubtls.Own(t.TempDir(), []string{"192.0.2.1"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := tls.Listen("tcp", "127.0.0.1:0", cert.Config())
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		var wire net.Conn = websocket.NetConn(context.Background(), ws, websocket.MessageBinary)
		if _, _, err := tunnel.Accept(r.Context(), wire, func(tunnel.Hello) (tunnel.Welcome, error) {
			return tunnel.Welcome{Name: "tab"}, nil
		}); err != nil {
			return
		}
		if s, err := tunnel.NewHubSession(wire, tunnel.Options{}); err == nil {
			<-s.Done()
		}
	})}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "https://" + ln.Addr().String(), cert.Pin()
}

// A node reaches the hub of its pin, and says nothing to another one.
func TestAHubWithACertificateOfItsOwn(t *testing.T) {
	url, pin := tlsHub(t)
	_, other := tlsHub(t)
	for name, c := range map[string]struct {
		pin  string
		want error
	}{"its pin": {pin, nil}, "another's pin": {other, hubtls.ErrPin}, "no pin": {"", new(tls.CertificateVerificationError)}} {
		l, err := New(Options{Hub: url, CertHash: c.pin, Instance: strings.Repeat("i", 32), Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		states := make(chan tunnel.State, 64)
		l.client.OnState = func(s tunnel.State) { states <- s }
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		s := <-states
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](s.Err)
		if s.Up != (c.want == nil) || c.pin != "" && !errors.Is(s.Err, c.want) || c.pin == "" && !untrusted {
			t.Errorf("with %s: up %v, %v", name, s.Up, s.Err)
		}
		cancel()
		<-ended
	}
	if _, err := New(Options{Hub: "http://192.0.2.1:8080", CertHash: pin}); err == nil {
		t.Error("a pin for a hub without TLS is taken")
	}
}
