package methods

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/attach"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/wasm/port"
)

const pairingSecret = "a pairing secret"

// hubOf accepts one tunnel at the other end of the wires that the returned function makes.
func hubOf(t *testing.T) (dial func(context.Context, string) (net.Conn, error), sessions chan *tunnel.Session) {
	sessions = make(chan *tunnel.Session, 4)
	return func(context.Context, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			_, _, err := tunnel.Accept(context.Background(), far, func(h tunnel.Hello) (tunnel.Welcome, error) {
				if h.Secret != pairingSecret {
					return tunnel.Welcome{}, &tunnel.Refusal{Reason: "the pairing secret is wrong", Final: true}
				}
				return tunnel.Welcome{Name: "tab-7", Addresses: []string{"127.0.0.1:7443"}}, nil
			})
			if err != nil {
				far.Close()
				return
			}
			s, err := tunnel.NewHubSession(far, tunnel.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { s.Close() })
			sessions <- s
		}()
		return near, nil
	}, sessions
}

// noCluster is an apiserver that says its name, and nothing else.
type noCluster struct{}

func (noCluster) Serve(_ context.Context, c net.Conn) { c.Write([]byte("apiserver")); c.Close() }

func (noCluster) Owner(context.Context) (*rest.Config, error) {
	// Nobody listens there: what is agreed to cannot be signed.
	return &rest.Config{Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{CAData: someCA}}, nil
}

var someCA = func() []byte {
	a, err := pki.NewAuthority("kubernetes")
	if err != nil {
		panic(err)
	}
	return a.CertPEM()
}()

func (noCluster) ServePod(_ context.Context, stream net.Conn) { _ = stream.Close() }

func (noCluster) ServeVisit(_ context.Context, _ string, stream net.Conn) { _ = stream.Close() }

func (noCluster) LeadOutside(func(tunnel.Header) (net.Conn, error)) (end func()) { return func() {} }

func (noCluster) ServeRealNodes(ctx context.Context, _ func(tunnel.Header) (net.Conn, error)) error {
	<-ctx.Done()
	return nil
}

func openAttachment(t *testing.T, secret string) (*wire, chan *tunnel.Session) {
	t.Helper()
	dial, sessions := hubOf(t)
	w := &wire{notify: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	w.server = port.NewServer(ctx, w, map[string]port.Handler{
		"attach": Attach(dial, func(context.Context) (attach.Cluster, error) { return noCluster{}, nil }),
	})
	t.Cleanup(func() { cancel(); w.server.Wait() })
	p, err := json.Marshal(attachParams{URL: "ws://hub", Secret: secret, Instance: strings.Repeat("i", 32)})
	if err != nil {
		t.Fatal(err)
	}
	w.server.Receive(port.In{Type: "call", ID: 1, Method: "attach", Params: p})
	return w, sessions
}

// event is the first event of that type.
func (w *wire) event(t *testing.T, kind string) attachEvent {
	t.Helper()
	var got attachEvent
	w.until(t, func(port.Out) bool {
		for _, o := range w.posted { // until holds the lock
			if e, ok := o["event"].(attachEvent); ok && e.Type == kind {
				got = e
				return true
			}
		}
		return false
	})
	return got
}

func (w *wire) order(o string) {
	w.server.Receive(port.In{Type: "order", ID: 1, Order: json.RawMessage(o)})
}

func TestAnAttachmentAsksTheOwner(t *testing.T) {
	w, sessions := openAttachment(t, pairingSecret)
	s := <-sessions
	if e := w.event(t, "state"); !e.Up || e.Name != "tab-7" || e.Addresses[0] != "127.0.0.1:7443" {
		t.Errorf("state %+v", e)
	}
	stream, err := s.Open(tunnel.Header{Kind: tunnel.KindAPI, Target: "192.0.2.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 9)
	if _, err := stream.Read(got); err != nil || string(got) != "apiserver" {
		t.Errorf("%q, %v", got, err)
	}
	asker, reveal, code := begin(t, s)
	asked := make(chan error, 1)
	ask := func(r access.Request) {
		asked <- s.Call(context.Background(), tunnel.CallAccess, r, new(access.Answer))
	}
	go ask(reveal)
	if e := w.event(t, "ask"); e.User != "ada" || e.Code != code || e.ID != 1 {
		t.Errorf("the page is asked %+v", e)
	}
	w.order(`{"type":"answer","id":1,"agree":false}`)
	if err := <-asked; err == nil || !strings.Contains(err.Error(), "does not agree") {
		t.Errorf("refused: %v", err)
	}
	_, reveal, _ = begin(t, s)
	go ask(reveal)
	w.until(t, func(o port.Out) bool {
		e, ok := o["event"].(attachEvent)
		return ok && e.ID == 2
	})
	w.order(`{"type":"nudge"}`)
	w.order(`{"type":"answer","id":2,"agree":true}`)
	if err := <-asked; err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("agreed: %v", err)
	}
	// A request that wants more than it may, or that comes twice, is not even shown.
	q := *asker.Request().Question
	q.User = "system:admin"
	go ask(access.Request{Question: &q})
	if err := <-asked; err == nil {
		t.Error("system:admin was let in")
	}
	go ask(reveal)
	if err := <-asked; err == nil {
		t.Error("one request was answered twice")
	}
	w.until(t, func(port.Out) bool {
		for _, o := range w.posted { // until holds the lock
			if e, ok := o["event"].(attachEvent); ok && e.ID == 3 {
				t.Error("the owner was asked")
			}
		}
		return true
	})
}

// begin asks for access, up to what the owner is asked with.
func begin(t *testing.T, s *tunnel.Session) (a *access.Asker, reveal access.Request, code string) {
	t.Helper()
	a, err := access.NewAsker("ada")
	if err != nil {
		t.Fatal(err)
	}
	var offer access.Offer
	if err := s.Call(t.Context(), tunnel.CallAccess, a.Request(), &offer); err != nil {
		t.Fatal(err)
	}
	reveal, code, err = a.Take(offer)
	if err != nil {
		t.Fatal(err)
	}
	return a, reveal, code
}

func TestAnAskerThatGoesIsWithdrawn(t *testing.T) {
	w, sessions := openAttachment(t, pairingSecret)
	s := <-sessions
	_, reveal, _ := begin(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		w.event(t, "ask")
		cancel()
	}()
	if err := s.Call(ctx, tunnel.CallAccess, reveal, new(access.Answer)); err == nil {
		t.Error("nobody agreed")
	}
	if e := w.event(t, "withdrawn"); e.ID != 1 {
		t.Errorf("%+v", e)
	}
}

func TestARefusedAttachmentSaysSo(t *testing.T) {
	w, _ := openAttachment(t, "wrong")
	answer := w.until(t, ofType("error"))
	if m := answer["error"].(map[string]any); !strings.Contains(m["message"].(string), "pairing secret") || m["hint"] == nil {
		t.Errorf("%v", m)
	}
}

func TestAnAttachmentThatThePageCloses(t *testing.T) {
	w, sessions := openAttachment(t, pairingSecret)
	s := <-sessions
	w.server.Receive(port.In{Type: "cancel", ID: 1})
	w.until(t, ofType("result", "error"))
	select {
	case <-s.Done():
	case <-time.After(10 * time.Second):
		t.Error("the tunnel is still up")
	}
}
