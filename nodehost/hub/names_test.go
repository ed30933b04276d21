package hub

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// longAgo has a cluster's name be one that is not kept any more.
func (r *registry) longAgo(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byName[name].since = time.Now().Add(-2 * nameKept)
}

// The port of a name that is gone is free for the next one; until then the next one is told why.
func TestPortsOfNamesThatAreGone(t *testing.T) {
	taken := false
	r := newRig(t, func(o *Options) {
		o.Ports = func(string) (net.Listener, error) {
			if taken {
				return nil, errors.New("no port from 1 to 1 is free")
			}
			taken = true
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			return released{ln, func() { taken = false }}, err
		}
	})
	claim := func(name, instance string) error {
		_, err := r.clusters.claim(tunnel.Hello{Name: name, Instance: instance})
		return err
	}
	if err := claim("one", instanceA); err != nil {
		t.Fatal(err)
	}
	refusal, ok := errors.AsType[*tunnel.Refusal](claim("two", instanceB))
	if !ok || refusal.Final || !strings.Contains(refusal.Reason, "--cluster-ports") {
		t.Errorf("without a port: %v", refusal)
	}
	r.clusters.longAgo("one")
	if err := claim("two", instanceB); err != nil {
		t.Errorf("after the first name is gone: %v", err)
	}
}

// released is a listener that says when it is closed.
type released struct {
	net.Listener
	free func()
}

func (r released) Close() error { r.free(); return r.Listener.Close() }

// A name that is free again is kept for the first who takes it.
func TestANameThatChangesHands(t *testing.T) {
	r := newRig(t, nil)
	claim := func(instance string) error {
		_, err := r.clusters.claim(tunnel.Hello{Name: "one", Instance: instance})
		return err
	}
	if err := claim(instanceA); err != nil {
		t.Fatal(err)
	}
	r.clusters.longAgo("one")
	if err := claim(instanceB); err != nil {
		t.Fatal(err)
	}
	if err := claim(instanceOf("c")); err == nil {
		t.Error("a third one takes it at the same time")
	}
	if err := claim(instanceB); err != nil {
		t.Errorf("whose it is: %v", err)
	}
}

// Browsers leave a scheme's own port out of Host and Origin.
func TestAPortThatBrowsersLeaveOut(t *testing.T) {
	h, err := New(Options{Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	h.AllowAddress(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
	h.AllowAddress(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443})
	for i, c := range []struct {
		host, origin string
		allowed      bool
	}{
		{"localhost", "http://localhost", true},
		{"localhost:80", "http://localhost", true},
		{"[::1]", "http://[::1]", true},
		{"192.0.2.1", "https://192.0.2.1", true},
		{"192.0.2.1", "http://192.0.2.1", false}, // another server's page
		{"localhost", "https://localhost", false},
		{"localhost:8080", "", false},
		{"evil.example", "", false},
	} {
		req := httptest.NewRequest(http.MethodGet, "/hub/v1/clusters", nil)
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		if err := h.checkBrowser(req); (err == nil) != c.allowed {
			t.Errorf("%s: %v", fmt.Sprint(i, " ", c.host, " ", c.origin), err)
		}
	}
}
