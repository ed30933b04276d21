package discovery

import (
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const goodPin = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

func TestWhatIsWrongBeforeAnybodyIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		want    error
	}{
		"no token":        {Options{CAHash: []string{goodPin}}, ErrToken},
		"half a token":    {Options{Token: "abcdef", CAHash: []string{goodPin}}, ErrToken},
		"no pin":          {Options{Token: "abcdef.0123456789abcdef"}, ErrPin},
		"a pin too short": {Options{Token: "abcdef.0123456789abcdef", CAHash: []string{"sha256:00"}}, ErrPin},
		"an unknown pin":  {Options{Token: "abcdef.0123456789abcdef", CAHash: []string{"md5:00"}}, ErrPin},
	} {
		if err := c.options.Check(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestClocks(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler()) // its answers have a date, whatever they are
	defer server.Close()
	for by, want := range map[time.Duration]string{
		0: "", 3 * time.Minute: "", -3 * time.Minute: "",
		time.Hour: "ahead of", -24 * time.Hour: "behind",
	} {
		o := Options{
			Endpoint: server.Listener.Addr().String(),
			Now:      func() time.Time { return time.Now().Add(by) },
		}
		err := o.checkClock(t.Context())
		if want == "" && err != nil {
			t.Errorf("by %s: %v", by, err)
		}
		if want != "" && (!errors.Is(err, ErrClock) || !strings.Contains(err.Error(), want)) {
			t.Errorf("by %s: %v, want %q", by, err, want)
		}
	}
}

func TestAnApiserverThatIsNotThere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_ = c.Close() // as a forwarder without a tunnel does
		}
	}()
	defer ln.Close()
	defer func(before time.Duration) { answerPatience = before }(answerPatience)
	answerPatience = time.Second
	o := Options{Endpoint: ln.Addr().String(), Token: "abcdef.0123456789abcdef", CAHash: []string{goodPin}}
	if _, err := Discover(t.Context(), o); !errors.Is(err, ErrUnreachable) {
		t.Errorf("%v, want %v", err, ErrUnreachable)
	}
}

// A name that no Node has may still be the cluster's own; the error says what to do.
func TestNamesThatAreTheClustersOwn(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))
	}))
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, good := range map[string]bool{"alpha": true, "localhost": false, "node-9": false, "kubernetes": false, "x.svc": false} {
		o := Options{Endpoint: server.Listener.Addr().String(), Token: "abcdef.0123456789abcdef", Node: name}
		err := o.checkName(t.Context(), ca)
		if good && err != nil || !good && (!errors.Is(err, ErrName) || !strings.Contains(err.Error(), "--node-name")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
