package podinfo

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tabernetes/tabernetes/core/program"
)

// patience is how long an answer to a fuzzed input may take before it is a fault.
const patience = 10 * time.Second

// FuzzSocket: whatever comes once a WebSocket is opened, the server lets go of it and goes on.
func FuzzSocket(f *testing.F) {
	for _, seed := range []string{
		"\x81\x85abcd\x09\x07\x0f\x08\x0e", "\x81\xfe\xff\xff", "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x01\x80abcd\x80\x80abcd",
		"\x89\x80abcd\x8a\x80abcd", "\x88\x82abcd\x62\x8a", "\xff\xff", "\x81\x05hello", "\xc1\x81abcd\x00", "",
	} {
		f.Add([]byte(seed))
	}
	s := &server{p: &program.Process{Hostname: "pod-7"}, log: zap.NewNop()}
	web := httptest.NewServer(http.HandlerFunc(s.webSocket))
	f.Cleanup(web.Close)
	f.Fuzz(func(t *testing.T, data []byte) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(web.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patience))
		const opening = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
		if _, err := io.WriteString(conn, opening); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(data); err != nil {
			return // it has let go of what came before
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after %q it holds on to a connection that ended", data)
		}
	})
}

// FuzzGRPC: whatever comes to the port of gRPC, the health service goes on.
func FuzzGRPC(f *testing.F) {
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for _, seed := range []string{
		preface, preface + settings, preface + settings + "\x00\x00\x01\x01\x05\x00\x00\x00\x01\x82", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff", "",
		preface + settings + "\xff\xff\xff\x00\x00\x00\x00\x00\x01", preface + "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\xff\xff\xff\xff",
	} {
		f.Add([]byte(seed))
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	gs := newHealth("podinfo")
	go func() { _ = gs.Serve(ln) }()
	f.Cleanup(gs.Stop)
	client, err := grpc.NewClient(ln.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { client.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, _ = conn.Write(data)
		_ = conn.(*net.TCPConn).CloseWrite()
		_, err = io.Copy(io.Discard, conn)
		conn.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after %q it holds on to a connection that ended", data)
		}
		answer, err := grpc_health_v1.NewHealthClient(client).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "podinfo"})
		if err != nil || answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("after %q: %v, %v", data, answer, err)
		}
	})
}
