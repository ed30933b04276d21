package hubtls

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

func own(t *testing.T, dir string, hosts ...string) *Certificate {
	t.Helper()
	c, err := Own(dir, hosts, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serving is a hub's server with the certificate.
func serving(t *testing.T, c *Certificate) string {
	t.Helper()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", c.Config())
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{
		Handler:  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }),
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "https://" + ln.Addr().String()
}

func ask(t *testing.T, url, pin string) error {
	t.Helper()
	client, err := HTTP(url, pin)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	res, err := client.Get(url)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusTeapot || res.ProtoMajor != 1 {
		t.Errorf("%s by HTTP/%d", res.Status, res.ProtoMajor)
	}
	return nil
}

// The hub's own certificate is the same at every start, is renewed with the same pin, and its key is
// nobody else's to read.
func TestTheOwnCertificateStays(t *testing.T) {
	dir := t.TempDir()
	pin := own(t, dir, "192.0.2.1").Pin()
	if err := CheckPin(pin); err != nil || pin == "" {
		t.Fatalf("the pin is %q, %v", pin, err)
	}
	first, err := os.ReadFile(filepath.Join(dir, "hub.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if own(t, dir, "192.0.2.1").Pin() != pin {
		t.Error("another start, another pin")
	}
	if again, _ := os.ReadFile(filepath.Join(dir, "hub.crt")); string(again) != string(first) {
		t.Error("another start, another certificate")
	}
	moved := own(t, dir, "192.0.2.9", "hub.example")
	if moved.Pin() != pin {
		t.Error("another address, another pin")
	}
	if err := moved.leaf.VerifyHostname("hub.example"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"hub.key", "hub.crt"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "hub.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Own(dir, nil, quiet); err == nil || !strings.Contains(err.Error(), "others can read") {
		t.Errorf("a key that others can read: %v", err)
	}
}

// A program that has the pin talks to the hub of it and to nobody else.
func TestThePin(t *testing.T) {
	hub := own(t, t.TempDir(), "192.0.2.1") // a name that the server is not reached by
	url, pin := serving(t, hub), hub.Pin()
	if err := ask(t, url, pin); err != nil {
		t.Error(err)
	}
	if err := ask(t, url, ""); err == nil {
		t.Error("without a pin, a certificate that nobody has signed is taken")
	}
	between := serving(t, own(t, t.TempDir(), "127.0.0.1"))
	if err := ask(t, between, pin); !errors.Is(err, ErrPin) {
		t.Errorf("somebody in between: %v", err)
	}
	if err := ask(t, strings.Replace(url, "https", "http", 1), pin); err == nil || !strings.Contains(err.Error(), "https URL") {
		t.Errorf("a pin without TLS: %v", err)
	}
	for _, bad := range []string{"sha256:", "sha256:12", "md5:" + pin[7:], pin[7:], pin + "00"} {
		if err := ask(t, url, bad); err == nil || !strings.Contains(err.Error(), "no hash") {
			t.Errorf("the pin %q: %v", bad, err)
		}
	}
}

// A certificate that was renewed is served without a restart; files that are no good change nothing.
func TestARenewedCertificate(t *testing.T) {
	old, next := t.TempDir(), t.TempDir()
	before, after := own(t, old, "127.0.0.1").Pin(), own(t, next, "127.0.0.1").Pin()
	c, err := Open(filepath.Join(old, "hub.crt"), filepath.Join(old, "hub.key"), quiet)
	if err != nil {
		t.Fatal(err)
	}
	url := serving(t, c)
	if err := ask(t, url, before); err != nil {
		t.Fatal(err)
	}
	touch := time.Now()
	put := func(name string, text []byte) {
		touch = touch.Add(time.Second)
		file := filepath.Join(old, name)
		if err := errors.Join(os.WriteFile(file, text, 0o600), os.Chtimes(file, touch, touch)); err != nil {
			t.Fatal(err)
		}
	}
	put("hub.crt", []byte("half a certifica"))
	if err := ask(t, url, before); err != nil {
		t.Errorf("with a damaged file: %v", err)
	}
	for _, name := range []string{"hub.crt", "hub.key"} {
		text, err := os.ReadFile(filepath.Join(next, name))
		if err != nil {
			t.Fatal(err)
		}
		put(name, text)
	}
	if err := ask(t, url, after); err != nil {
		t.Errorf("after the renewal: %v", err)
	}
}
