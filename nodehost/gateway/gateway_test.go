package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// serve runs a gateway to addresses and returns its dialer.
func serve(t *testing.T, addresses ...string) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "gateway.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: Handler(addresses)}
	go s.Serve(ln)
	t.Cleanup(func() { _ = s.Close() })
	return Dialer(socket)
}

// echo answers with what it gets, behind a greeting that comes unasked, and ends when its peer does.
func echo(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.WriteString(c, "hello\n")
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return ln.Addr().String()
}

func TestBytesGoBothWays(t *testing.T) {
	address := echo(t)
	dial := serve(t, address)
	conn, err := dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sent := make([]byte, 4<<20)
	rand.Read(sent)
	go conn.Write(sent)
	got := make([]byte, len("hello\n")+len(sent))
	if _, err := io.ReadFull(conn, got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, append([]byte("hello\n"), sent...)) {
		t.Error("other bytes came back")
	}
}

func TestOnlyWhatItWasMadeFor(t *testing.T) {
	allowed, other := echo(t), echo(t)
	dial := serve(t, allowed)
	if _, err := dial(t.Context(), "tcp", other); err == nil || !strings.Contains(err.Error(), "does not lead to "+other) {
		t.Errorf("another address: %v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := ln.Addr().String()
	ln.Close()
	if _, err := serve(t, gone)(t.Context(), "tcp", gone); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("an address where nobody is: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := serve(t, gone)(ctx, "tcp", gone); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
