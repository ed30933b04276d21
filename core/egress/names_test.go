package egress

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/server/egressselector"
)

// TestServiceNames: the name of a Service is asked of the machine's DNS, and where that does not know it the error says
// what to write, by each of the ways in which the API server dials. Other names and other errors say nothing of it.
func TestServiceNames(t *testing.T) {
	refused := errors.New("refused")
	r := NewRouter()
	r.direct = func(_ context.Context, _, address string) (net.Conn, error) {
		host, port, _ := net.SplitHostPort(address)
		if port == "1" {
			return nil, refused
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	}
	file, err := r.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := egressselector.ReadEgressSelectorConfiguration(file)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := egressselector.NewEgressSelector(c)
	if err != nil {
		t.Fatal(err)
	}
	const advice = "clientConfig.service"
	for address, explained := range map[string]bool{
		"hook.default.svc:443":                true,
		"hook.default.svc.cluster.local:443":  true,
		"HOOK.default.SVC.cluster.local.:443": true,
		"hook.default.svc:1":                  false, // another error
		"hook.default:443":                    false, // as anything may be called
		"svc.example.com:443":                 false,
		"..svc:443":                           false,
	} {
		for way, s := range map[string]*egressselector.EgressSelector{"dialler": r.Selector(), "proxy": asked} {
			dial, err := s.Lookup(egressselector.ControlPlane.AsNetworkContext())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := dial(t.Context(), "tcp", address); err == nil || strings.Contains(err.Error(), advice) != explained {
				t.Errorf("%s by a %s: %v", address, way, err)
			}
		}
	}
	if _, err := r.DialAsServer(t.Context(), "tcp", strings.Repeat("a", 1000)+".default.svc:443"); len(err.Error()) > 2000 {
		t.Errorf("a long name: %d bytes", len(err.Error()))
	}
	var unknown *net.DNSError
	if _, err := r.DialAsServer(t.Context(), "tcp", "hook.default.svc:443"); !errors.As(err, &unknown) {
		t.Errorf("what it was is lost: %v", err)
	}
	if err := explainName("hook.default.svc:443", nil); err != nil {
		t.Error(err)
	}
}
