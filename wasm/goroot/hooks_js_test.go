package goroot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/wasm/goroot"
	_ "github.com/tabernetes/tabernetes/wasm/memfs"
)

func TestInterfaceAddrs(t *testing.T) {
	want := []*net.IPNet{
		{IP: net.IPv4(127, 0, 0, 1).To4(), Mask: net.CIDRMask(8, 32)},
		{IP: net.IPv4(172, 30, 0, 11).To4(), Mask: net.CIDRMask(16, 32)},
	}
	goroot.SetInterfaceAddrs(want)
	got, err := net.InterfaceAddrs()
	if err != nil || fmt.Sprint(got) != "[127.0.0.1/8 172.30.0.11/16]" {
		t.Errorf("got %v, %v", got, err)
	}
	lo, err := net.InterfaceByName("lo")
	if err != nil || lo.Flags&net.FlagUp == 0 {
		t.Fatalf("lo: %v, %v", lo, err)
	}
	if got, err := lo.Addrs(); err != nil || len(got) != 2 {
		t.Errorf("addresses of lo: %v, %v", got, err)
	}
}

func TestRefusedConnectionIsAnErrno(t *testing.T) {
	_, err := net.Dial("tcp", "10.244.9.9:80")
	if !errors.Is(err, syscall.ECONNREFUSED) || err.Error() != "dial tcp 10.244.9.9:80: connect: connection refused" {
		t.Errorf("got %v", err)
	}
}

// Neither the default transport nor one without a dialer may go out by fetch.
func TestHTTPStaysInside(t *testing.T) {
	l, err := net.Listen("tcp", "10.244.1.5:80")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "inside") }))
	for name, transport := range map[string]http.RoundTripper{"default": http.DefaultTransport, "bare": &http.Transport{}} {
		client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
		resp, err := client.Get("http://10.244.1.5/")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if b, _ := io.ReadAll(resp.Body); string(b) != "inside" {
			t.Errorf("%s: %q", name, b)
		}
		resp.Body.Close()
	}
}

func TestWildcardListenerIsReachedByAnyAddress(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:10250")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	specific, err := net.Listen("tcp", "172.30.0.12:10250")
	if err != nil {
		t.Fatal(err)
	}
	defer specific.Close()
	for address, want := range map[string]net.Listener{"172.30.0.11:10250": l, "127.0.0.1:10250": l, "172.30.0.12:10250": specific} {
		var d net.Dialer
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		c, err := d.DialContext(ctx, "tcp", address)
		cancel()
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		accepted, err := want.Accept()
		if err != nil {
			t.Error(err)
			continue
		}
		accepted.Close()
		c.Close()
	}
}

func TestExitIsReportedAndParked(t *testing.T) {
	type report struct {
		code  int
		stack string
	}
	reports := make(chan report, 1)
	goroot.OnExit(func(code int, stack string) { reports <- report{code, stack} })
	went := make(chan struct{})
	go func() {
		defer close(went)
		giveUp()
	}()
	r := <-reports
	if r.code != 255 || !strings.Contains(r.stack, "giveUp") {
		t.Errorf("got %d, %s", r.code, r.stack)
	}
	select {
	case <-went:
		t.Error("os.Exit returned")
	case <-time.After(50 * time.Millisecond):
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	goroot.AllowExit()
	os.Exit(code)
}

func giveUp() { os.Exit(255) }
