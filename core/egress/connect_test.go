package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/server/egressselector"
)

// TestConnect: upstream's selection of that file dials by the router, says why it does not, and finds nothing once the
// server that it was for is gone.
func TestConnect(t *testing.T) {
	r := NewRouter()
	r.HandleServices(func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			line, _ := bufio.NewReader(there).ReadString('\n')
			_, _ = io.WriteString(there, "echo "+line)
			there.Close()
		}()
		return here, nil
	}, netip.MustParsePrefix("10.96.0.8/31"))
	r.Handle("10.96.0.10", func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("nobody\r\nX-Evil: 1")
	})
	ctx, end := context.WithCancel(t.Context())
	defer end()
	file, err := r.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may open it: %v, %v", info.Mode(), err)
	}
	c, err := egressselector.ReadEgressSelectorConfiguration(file)
	if err != nil {
		t.Fatal(err)
	}
	if errs := egressselector.ValidateEgressSelectorConfiguration(c); len(errs) > 0 {
		t.Fatal(errs)
	}
	s, err := egressselector.NewEgressSelector(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []egressselector.EgressType{egressselector.ControlPlane, egressselector.Cluster} {
		dial, err := s.Lookup(way.AsNetworkContext())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := dial(t.Context(), "tcp", "10.96.0.9:443")
		if err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		_, _ = io.WriteString(conn, "hello\n")
		if got, err := io.ReadAll(conn); err != nil || string(got) != "echo hello\n" {
			t.Errorf("%s: %q, %v", way, got, err)
		}
		conn.Close()
		if _, err := dial(t.Context(), "tcp", "10.96.0.10:443"); err == nil || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("%s: %v", way, err)
		}
	}
	etcd, err := s.Lookup(egressselector.Etcd.AsNetworkContext())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := etcd(t.Context(), "tcp", "10.96.0.10:443"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("etcd: %v", err)
	}
	end()
	// What was there is taken away behind the caller's back, who has to let it happen: on js there is one thread.
	for ; ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Dir(file)); errors.Is(err, os.ErrNotExist) {
			break
		} else if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}
