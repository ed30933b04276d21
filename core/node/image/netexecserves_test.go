package image

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// netexecOf starts netexec with flags over a file system, and gives where it listens and what tells and awaits it.
func netexecOf(t *testing.T, root string, flags ...string) (at string, signals chan program.Signal, ended chan int, said *kept) {
	t.Helper()
	signals, ended, said = make(chan program.Signal, 1), make(chan int, 1), new(kept)
	network := programtest.Loopback{At: make(chan string, 1)}
	p := &program.Process{
		Args: append([]string{"/agnhost", "netexec", "--udp-port=-1"}, flags...), PID: 1, Hostname: "pod-7", FS: program.NewFS(root),
		Net: network, Stdout: io.Discard, Stderr: said, Signals: signals,
	}
	go func() { ended <- agnhostMain(t.Context(), p) }()
	select {
	case at = <-network.At:
	case code := <-ended:
		ended <- code
	}
	return at, signals, ended, said
}

func asked(t *testing.T, client *http.Client, address string) (int, string) {
	t.Helper()
	res, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return res.StatusCode, strings.TrimSpace(string(body))
}

func TestNetexecTellsOfItself(t *testing.T) {
	at, signals, ended, said := netexecOf(t, t.TempDir(), "--http-port=8083", "--delay-shutdown=3600")
	for path, want := range map[string]string{"/serverport": "8083", "/readyz": "ok", "/header?key=Accept-Encoding": "gzip"} {
		if code, got := asked(t, http.DefaultClient, "http://"+at+path); code != 200 || got != want {
			t.Errorf("%s: %d %q, want %q", path, code, got, want)
		}
	}
	if _, got := asked(t, http.DefaultClient, "http://"+at+"/header"); !strings.HasPrefix(got, `{"Accept-Encoding":["gzip"]`) {
		t.Errorf("all headers: %q", got)
	}
	if _, got := asked(t, http.DefaultClient, "http://"+at+"/exit?timeout=soon"); !strings.HasPrefix(got, "argument 'timeout' must be") {
		t.Errorf("%q", got)
	}
	// Told to end, it lives on for its delay and says that it takes no more.
	signals <- program.SIGTERM
	for code := 200; code == 200; {
		code, _ = asked(t, http.DefaultClient, "http://"+at+"/readyz")
	}
	if code, _ := asked(t, http.DefaultClient, "http://"+at+"/healthz"); code != 200 {
		t.Errorf("healthz: %d", code)
	}
	if code, got := asked(t, http.DefaultClient, "http://"+at+"/readyz"); code != 503 || got != "shutting down" {
		t.Errorf("readyz after SIGTERM: %d %q", code, got)
	}
	asked(t, http.DefaultClient, "http://"+at+"/exit?code=7&timeout=1s")
	if code := <-ended; code != 7 {
		t.Errorf("code %d, %s", code, said)
	}
}

func TestNetexecOverridesAndSecures(t *testing.T) {
	at, _, _, _ := netexecOf(t, t.TempDir(), "--http-override=/echo?msg=always&code=404")
	if code, got := asked(t, http.DefaultClient, "http://"+at+"/hostname"); code != 404 || got != "always" {
		t.Errorf("%d %q", code, got)
	}

	root := t.TempDir()
	server := httptest.NewTLSServer(nil) // for its certificate
	server.Close()
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: server.Certificate().Raw}, "tls.key": {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(filepath.Join(root, name), pem.EncodeToMemory(block), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at, _, _, _ = netexecOf(t, root, "--tls-cert-file=/tls.crt", "--tls-private-key-file=/tls.key")
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "example.com"}}}
	if code, got := asked(t, client, "https://"+at+"/hostname"); code != 200 || got != "pod-7" {
		t.Errorf("%d %q", code, got)
	}
	for _, flags := range [][]string{{"--tls-cert-file=/nowhere"}, {"--tls-cert-file=/tls.crt"}, {"--tls-cert-file=/tls.key", "--tls-private-key-file=/tls.crt"}} {
		if _, _, ended, said := netexecOf(t, root, flags...); <-ended != 1 || said.Len() == 0 {
			t.Errorf("%v: no complaint", flags)
		}
	}
}

// TestNetexecUploads: one file of a form, within bounds; half a file is none.
func TestNetexecUploads(t *testing.T) {
	root := t.TempDir()
	mux := agnhostNetexec(&program.Process{FS: program.NewFS(root)}, func(error) {})
	send := func(field, name string, size int) (int, string) {
		t.Helper()
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile(field, name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write(bytes.Repeat([]byte("x"), size))
		w.Close()
		r := httptest.NewRequest(http.MethodPost, "/upload", &form)
		r.Header.Set("Content-Type", w.FormDataContentType())
		got := httptest.NewRecorder()
		mux.ServeHTTP(got, r)
		return got.Code, strings.TrimSpace(got.Body.String())
	}
	kept := func() int {
		entries, _ := os.ReadDir(filepath.Join(root, "uploads"))
		return len(entries)
	}
	code, said := send("file", "../../etc/passwd", 5)
	name, ok := strings.CutPrefix(said, `{"output":"/uploads/upload`)
	if code != 201 || !ok || len(name) != len(`0123456789"}`) || kept() != 1 {
		t.Errorf("%d %q, %d kept", code, said, kept())
	}
	if code, said := send("other", "a", 5); code != 200 || said != `{"error":"Unable to upload file."}` {
		t.Errorf("another field: %d %q", code, said)
	}
	if code, said := send("file", "a", maxUpload+1); code != 200 || said != `{"error":"Unable to write file."}` || kept() != 1 {
		t.Errorf("too large: %d %q, %d kept", code, said, kept())
	}
	got := httptest.NewRecorder()
	mux.ServeHTTP(got, httptest.NewRequest(http.MethodPost, "/upload", strings.NewReader("no form")))
	if got.Code != 200 || !strings.Contains(got.Body.String(), "Unable to upload file.") {
		t.Errorf("no form: %d %q", got.Code, got.Body)
	}
}
