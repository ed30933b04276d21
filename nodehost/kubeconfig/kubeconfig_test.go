package kubeconfig

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/hub"
)

// screen is what the asker's terminal shows, and what the page does; a person looks at both.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	page string
}

// Read is what the person types: yes, if both show one code.
func (s *screen) Read(b []byte) (int, error) {
	s.mu.Lock()
	page := s.page
	s.mu.Unlock()
	if page == "" || !s.shows(page) {
		return copy(b, "no\n"), nil
	}
	return copy(b, "yes\n"), nil
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) shows(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

func authority(t *testing.T) *pki.Authority {
	t.Helper()
	a, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// sign is what a cluster's signer makes of a question.
func sign(a *pki.Authority, q access.Question) (access.Answer, error) {
	block, _ := pem.Decode([]byte(q.CSR))
	csr, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return access.Answer{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: csr.Subject,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, a.Cert, csr.PublicKey, a.Key)
	if err != nil {
		return access.Answer{}, err
	}
	return access.Answer{Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}, nil
}

// clusterAt is a cluster at the other end of a tunnel, whose owner agrees if the asker's screen shows
// the code. It returns the hub's end.
func clusterAt(t *testing.T, a *pki.Authority, name string, terminal *screen) *tunnel.Session {
	t.Helper()
	server := &access.Server{
		Owner: func(context.Context) (*rest.Config, error) {
			return &rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: a.CertPEM()}}, nil
		},
		ServerName: func() string { return tunnel.ServerName(name) },
		Agree: func(_ context.Context, _, code string) error {
			terminal.mu.Lock()
			terminal.page = code
			terminal.mu.Unlock()
			if !terminal.shows(code) {
				return errors.New("the cluster's owner does not agree")
			}
			return nil
		},
		Sign: func(_ context.Context, _ *rest.Config, q access.Question) (access.Answer, error) { return sign(a, q) },
	}
	near, far := net.Pipe()
	accepted := make(chan *tunnel.Session, 1)
	go func() {
		_, _, err := tunnel.Accept(context.Background(), far, func(tunnel.Hello) (tunnel.Welcome, error) {
			return tunnel.Welcome{Name: name}, nil
		})
		if err != nil {
			t.Error(err)
		}
		s, err := tunnel.NewHubSession(far, tunnel.Options{})
		if err != nil {
			t.Error(err)
		}
		accepted <- s
	}()
	s, _, err := tunnel.Dial(t.Context(), near, tunnel.Hello{Instance: strings.Repeat("i", 32)}, server.Options())
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(t.Context()) }()
	t.Cleanup(func() { _ = s.Close() })
	return <-accepted
}

// passOn is a hub's way of asking a cluster.
type passOn func(access.Request) (json.RawMessage, error)

// askThrough runs `nodehost kubeconfig` through a hub that does with each request as it likes.
func askThrough(t *testing.T, o Options, hostile func(r access.Request, on passOn, c *hub.Cluster) (any, error)) (file string, terminal *screen, ca *pki.Authority, err error) {
	t.Helper()
	terminal, ca = &screen{}, authority(t)
	s := clusterAt(t, ca, "demo", terminal)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct{ Question access.Request }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		at := hub.Cluster{Name: "demo", ServerName: "demo.tabernetes.internal", Addresses: []string{"127.0.0.1:7443"}}
		got, err := hostile(req.Question, func(q access.Request) (got json.RawMessage, err error) {
			return got, s.Call(r.Context(), tunnel.CallAccess, q, &got)
		}, &at)
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"cluster": at, "answer": got})
	}))
	t.Cleanup(srv.Close)
	o.Hub, o.User, o.Out, o.In, o.File = srv.URL, "ada", terminal, terminal, filepath.Join(t.TempDir(), "config")
	return o.File, terminal, ca, Run(t.Context(), o)
}

func honest(r access.Request, on passOn, _ *hub.Cluster) (any, error) { return on(r) }

func TestAnHonestHub(t *testing.T) {
	file, _, ca, err := askThrough(t, Options{Cluster: "demo"}, honest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Clusters["tabernetes-demo"]
	if c == nil || c.Server != "https://127.0.0.1:7443" || c.TLSServerName != "demo.tabernetes.internal" || !bytes.Equal(c.CertificateAuthorityData, ca.CertPEM()) {
		t.Errorf("the kubeconfig has %+v", c)
	}
}

// in is a hub that takes both places: to the asker it is a cluster with a CA of its own, to the
// cluster it is an asker with a key of its own.
type in struct {
	own   *pki.Authority
	asker *access.Asker
	got   access.Offer
}

// A hub that puts anything of its own in the place of what passes gets no access, and no kubeconfig
// is written that leads to it.
func TestAHubThatSubstitutes(t *testing.T) {
	own := authority(t)
	var question access.Question
	swap := func(change func(*access.Offer)) func(access.Request, passOn, *hub.Cluster) (any, error) {
		return func(r access.Request, on passOn, _ *hub.Cluster) (any, error) {
			got, err := on(r)
			if err != nil || r.Question == nil {
				return got, err
			}
			question = *r.Question
			var o access.Offer
			if err := json.Unmarshal(got, &o); err != nil {
				return nil, err
			}
			change(&o)
			return o, nil
		}
	}
	for name, c := range map[string]struct {
		hub  func(access.Request, passOn, *hub.Cluster) (any, error)
		want string
	}{
		"the CA": {swap(func(o *access.Offer) { o.CA = string(own.CertPEM()) }), "does not agree"},
		// The attack of a proxy that agrees by itself, whatever the owner says.
		"the CA and the certificate": {func(r access.Request, on passOn, at *hub.Cluster) (any, error) {
			got, err := swap(func(o *access.Offer) { o.CA = string(own.CertPEM()) })(r, on, at)
			if r.Reveal != nil {
				if err == nil {
					t.Error("the owner agreed")
				}
				return sign(own, question)
			}
			return got, err
		}, "somebody is in between"},
		// The same by a hub that does not even ask.
		"the cluster": {func(r access.Request, _ passOn, _ *hub.Cluster) (any, error) {
			if r.Question != nil {
				question = *r.Question
				return access.Offer{ID: "id", CA: string(own.CertPEM()), ServerName: "demo.tabernetes.internal", Nonce: make([]byte, 32)}, nil
			}
			return sign(own, question)
		}, "somebody is in between"},
		"the certificate": {func(r access.Request, on passOn, _ *hub.Cluster) (any, error) {
			if r.Question != nil {
				question = *r.Question
				return on(r)
			}
			return sign(own, question)
		}, "not the cluster's"},
		"the cluster's nonce": {swap(func(o *access.Offer) { o.Nonce = bytes.Repeat([]byte{1}, 32) }), "does not agree"},
		"a name of its own":   {swap(func(o *access.Offer) { o.ServerName = "evil.tabernetes.internal" }), "does not agree"},
		"a node's name":       {swap(func(o *access.Offer) { o.ServerName = "node-7" }), "no cluster's name"},
		"the key": {func(r access.Request, on passOn, _ *hub.Cluster) (any, error) {
			if r.Question != nil {
				mine, err := access.NewAsker("ada")
				if err != nil {
					return nil, err
				}
				r.Question.CSR = mine.Request().Question.CSR
			}
			return on(r)
		}, "does not agree"},
		"the user": {func(r access.Request, on passOn, _ *hub.Cluster) (any, error) {
			if r.Question != nil {
				mine, err := access.NewAsker("eve")
				if err != nil {
					return nil, err
				}
				r.Question.User, r.Question.CSR = "eve", mine.Request().Question.CSR
			}
			return on(r)
		}, "does not agree"},
		"an address that is a path": {func(r access.Request, on passOn, at *hub.Cluster) (any, error) {
			at.Addresses = []string{"evil.example/x:443"}
			return on(r)
		}, "which is none"},
		"both sides": {(&in{own: own}).serve(t), "does not agree"},
	} {
		t.Run(name, func(t *testing.T) {
			file, _, _, err := askThrough(t, Options{}, c.hub)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want one that says %q", err, c.want)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Errorf("a kubeconfig was written: %v", err)
			}
		})
	}
}

// serve has the hub's own asker go ahead of the real one, so that the cluster's side is known before
// the real asker is answered, which is the best that it can do.
func (m *in) serve(t *testing.T) func(access.Request, passOn, *hub.Cluster) (any, error) {
	return func(r access.Request, on passOn, _ *hub.Cluster) (any, error) {
		if r.Question != nil {
			var err error
			if m.asker, err = access.NewAsker("ada"); err != nil {
				return nil, err
			}
			got, err := on(m.asker.Request())
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(got, &m.got); err != nil {
				return nil, err
			}
			return access.Offer{ID: m.got.ID, CA: string(m.own.CertPEM()), ServerName: m.got.ServerName, Nonce: m.got.Nonce}, nil
		}
		reveal, _, err := m.asker.Take(m.got)
		if err != nil {
			return nil, err
		}
		if _, err := on(reveal); err != nil {
			return nil, err
		}
		t.Error("the owner gave the hub a certificate")
		return nil, errors.New("the hub has what it wants")
	}
}

// A cluster that was asked for is the one that answers; a port of its own is one of loopback, or the
// cluster's name is asked for there, too: nodes have certificates of the same CA for their addresses.
func TestWhoAnswers(t *testing.T) {
	if _, _, _, err := askThrough(t, Options{Cluster: "prod"}, honest); err == nil || !strings.Contains(err.Error(), `one called "demo"`) {
		t.Errorf("another cluster: %v", err)
	}
	offer := access.Offer{ServerName: "demo.tabernetes.internal"}
	for own, want := range map[string][2]string{
		"127.0.0.1:8000": {"127.0.0.1:8000", ""},
		"192.0.2.7:8000": {"192.0.2.7:8000", "demo.tabernetes.internal"},
		"0.0.0.0:8000":   {"192.0.2.1:8000", "demo.tabernetes.internal"},
	} {
		o := Options{Hub: "https://192.0.2.1:8080", OwnPort: true}
		address, name, err := o.address(hub.Cluster{Addresses: []string{"192.0.2.1:7443", own}}, offer)
		if err != nil || address != want[0] || name != want[1] {
			t.Errorf("%s: %s as %q, %v; want %v", own, address, name, err, want)
		}
	}
}
