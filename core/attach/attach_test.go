package attach

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// fake is a cluster whose apiserver says its name, and whose nodes end with what failed says.
type fake struct {
	failed chan error
	open   chan func(tunnel.Header) (net.Conn, error)
	// outside is the way there while there is one.
	outside atomic.Pointer[func(tunnel.Header) (net.Conn, error)]
}

func newFake() *fake {
	return &fake{failed: make(chan error, 1), open: make(chan func(tunnel.Header) (net.Conn, error), 1)}
}

func (f *fake) Serve(_ context.Context, conn net.Conn) {
	_, _ = io.WriteString(conn, "apiserver")
	_ = conn.Close()
}

func (f *fake) ServePod(_ context.Context, stream net.Conn) {
	_, _ = io.WriteString(stream, "pod")
	_ = stream.Close()
}

func (f *fake) ServeVisit(_ context.Context, target string, stream net.Conn) {
	_, _ = io.WriteString(stream, "visit "+target)
	_ = stream.Close()
}

func (f *fake) Owner(context.Context) (*rest.Config, error) {
	return &rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: ca}}, nil
}

// ca is some certificate.
var ca = func() []byte {
	a, err := pki.NewAuthority("kubernetes")
	if err != nil {
		panic(err)
	}
	return a.CertPEM()
}()

func (f *fake) ServeRealNodes(ctx context.Context, open func(tunnel.Header) (net.Conn, error)) error {
	f.open <- open
	select {
	case err := <-f.failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

func (f *fake) LeadOutside(open func(tunnel.Header) (net.Conn, error)) (end func()) {
	f.outside.Store(&open)
	return func() { f.outside.Store(nil) }
}

// hub accepts tunnels at the other end of the wires that dial makes; refusal, if any, is its answer.
func hub(t *testing.T, refusal error) (dial func(context.Context) (net.Conn, error), sessions chan *tunnel.Session) {
	sessions = make(chan *tunnel.Session, 1)
	return func(context.Context) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			_, _, err := tunnel.Accept(context.Background(), far, func(tunnel.Hello) (tunnel.Welcome, error) {
				return tunnel.Welcome{Name: "demo"}, refusal
			})
			if err != nil {
				_ = far.Close()
				return
			}
			s, err := tunnel.NewHubSession(far, tunnel.Options{
				Authorise: func(tunnel.Header) error { return nil },
				Handle: func(_ context.Context, h tunnel.Header, c net.Conn) {
					_, _ = io.WriteString(c, h.Target)
					_ = c.Close()
				},
			})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = s.Close() })
			go func() { _ = s.Serve(context.Background()) }()
			sessions <- s
		}()
		return near, nil
	}, sessions
}

var hello = tunnel.Hello{Instance: strings.Repeat("i", 32), Secret: "a pairing secret"}

func text(t *testing.T, conn net.Conn, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	b, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// Clients reach the apiserver, the cluster reaches its nodes, and who asks for access is decided on.
func TestAClusterOnAHub(t *testing.T) {
	c := newFake()
	dial, sessions := hub(t, nil)
	asked := make(chan string, 1)
	a := New(c, Options{Dial: dial, Hello: hello, Agree: func(_ context.Context, user, code string) error {
		asked <- user + " " + code
		return errors.New("the owner is out")
	}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	s := <-sessions
	stream, err := s.Open(tunnel.Header{Kind: tunnel.KindAPI})
	if got := text(t, stream, err); got != "apiserver" {
		t.Errorf("a client reaches %q", got)
	}
	open := <-c.open
	stream, err = open(tunnel.Header{Kind: tunnel.KindDial, Target: "route 192.0.2.1:1"})
	if got := text(t, stream, err); got != "route 192.0.2.1:1" {
		t.Errorf("a node is dialled by %q", got)
	}
	stream, err = (*c.outside.Load())(tunnel.Header{Kind: tunnel.KindOutside, Target: "hooks.example.com:443"})
	if got := text(t, stream, err); got != "hooks.example.com:443" {
		t.Errorf("outside is dialled by %q", got)
	}
	asker, err := access.NewAsker("ada")
	if err != nil {
		t.Fatal(err)
	}
	var offer access.Offer
	if err := s.Call(t.Context(), tunnel.CallAccess, asker.Request(), &offer); err != nil {
		t.Fatal(err)
	}
	if offer.ServerName != "demo.tabernetes.internal" || offer.CA != string(ca) {
		t.Errorf("the cluster offers %+v", offer)
	}
	reveal, code, err := asker.Take(offer)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Call(t.Context(), tunnel.CallAccess, reveal, nil); err == nil || !strings.Contains(err.Error(), "the owner is out") {
		t.Errorf("access: %v", err)
	}
	if got := <-asked; got != "ada "+code {
		t.Errorf("the owner is asked %q, the asker sees %s", got, code)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if c.outside.Load() != nil {
		t.Error("there is a way outside without a hub")
	}
}

// What ends for good ends all of it, and says why.
func TestWhatEndsAnAttachment(t *testing.T) {
	refused := &tunnel.Refusal{Reason: "no", Final: true}
	dial, _ := hub(t, refused)
	if got, ok := errors.AsType[*tunnel.Refusal](New(newFake(), Options{Dial: dial, Hello: hello}).Run(t.Context())); !ok || got.Reason != "no" {
		t.Errorf("a hub's no: %v", got)
	}
	c := newFake()
	c.failed <- errors.New("no nodes")
	dial, _ = hub(t, nil)
	if err := New(c, Options{Dial: dial, Hello: hello}).Run(t.Context()); err == nil || err.Error() != "no nodes" {
		t.Errorf("nodes that cannot be served: %v", err)
	}
}
