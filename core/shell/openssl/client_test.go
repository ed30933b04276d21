package openssl_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell/openssl"
)

// TestClient: s_client says of a server what Debian's does, and passes on what is typed.
func TestClient(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "conf"), []byte("subjectAltName = DNS:localhost\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"genrsa -out ca.key", "req -x509 -key ca.key -subj /CN=root -days 2 -out ca.crt", "ecparam -name prime256v1 -genkey -noout -out server.key",
		"req -new -key server.key -subj /CN=server/O=x -out server.csr", "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -extfile conf -out server.crt",
		"req -x509 -key server.key -subj /CN=jane -out jane.crt",
	} {
		if _, errOut, code := ours(t, dir, line, ""); code != 0 {
			t.Fatal(errOut)
		}
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key"))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}, ClientAuth: tls.RequestClientCert,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go echo(conn.(*tls.Conn))
		}
	}()
	address := listener.Addr().String()

	got, errOut, code := talk(t, dir, "s_client -ign_eof -CAfile ca.crt -cert jane.crt -key server.key -connect "+address, "hello\n")
	if code != 0 || !strings.HasSuffix(got, "---\njane: hello\n") || !strings.Contains(got, "Verify return code: 0 (ok)") {
		t.Errorf("code %d, %s, %s", code, got, errOut)
	}
	if _, errOut, code := talk(t, dir, "s_client -verify_return_error -connect "+address, ""); code != 1 || !strings.Contains(errOut, "num=20:unable to get local issuer certificate") {
		t.Errorf("code %d, %s", code, errOut)
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	go func() {
		if conn, err := plain.Accept(); err == nil {
			_, _ = io.WriteString(conn, "220 this is no TLS\x1b[2J\r\n")
			_ = conn.Close()
		}
	}()
	if _, errOut, code := talk(t, dir, "s_client -connect "+plain.Addr().String(), ""); code != 1 || !strings.Contains(errOut, "by TLS: ") || strings.Contains(errOut, "\x1b") {
		t.Errorf("code %d, %q", code, errOut)
	}

	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skipf("%v (scripts/setup installs it)", err)
	}
	for _, line := range []string{"s_client -CAfile ca.crt -connect " + address, "s_client -showcerts -alpn h2 -tls1_3 -connect " + address, "s_client -tls1_2 -CAfile jane.crt -connect " + address} {
		c := exec.CommandContext(t.Context(), program, words(line)...)
		c.Dir, c.Stdin = dir, strings.NewReader("Q\n")
		theirs, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		got, errOut, code := talk(t, dir, line, "Q\n")
		if code != 0 || !strings.Contains(errOut, "DONE") {
			t.Errorf("openssl %s: code %d, %s", line, code, errOut)
		}
		rest := string(theirs)
		for want := range strings.Lines(got) {
			if strings.Contains(want, "Cipher is") {
				continue // they need not agree
			}
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("openssl %s: %q is not what comes next in Debian's\n%s", line, want, rest)
				break
			}
			rest = after
		}
	}
}

// echo gives back lines, with who sent them.
func echo(conn *tls.Conn) {
	defer conn.Close()
	if conn.Handshake() != nil {
		return
	}
	buf := make([]byte, 100)
	n, err := conn.Read(buf)
	if err != nil {
		return
	}
	who := "nobody"
	if certs := conn.ConnectionState().PeerCertificates; len(certs) > 0 {
		who = certs[0].Subject.CommonName
	}
	_, _ = io.WriteString(conn, who+": "+string(buf[:n]))
}

func talk(t *testing.T, dir, line, typed string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code = openssl.Main(ctx, &openssl.Run{
		Args: words(line), Typed: strings.NewReader(typed), Out: &o, Err: &e, Now: time.Now(),
		Open: func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, name)) },
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	})
	return o.String(), e.String(), code
}
