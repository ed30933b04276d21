package serve

import (
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/hubtls"
	"github.com/tabernetes/tabernetes/nodehost/pairing"
)

// What other machines reach is served with TLS, unless somebody says otherwise; loopback is not,
// unless somebody asks for it.
func TestWhatIsServedWithTLS(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	dir := t.TempDir()
	if _, err := hubtls.Own(dir, []string{"192.0.2.1"}, quiet); err != nil {
		t.Fatal(err)
	}
	cert, key := filepath.Join(dir, "hub.crt"), filepath.Join(dir, "hub.key")
	for _, c := range []struct {
		address string
		o       Options
		tls     bool
		err     string
	}{
		{"127.0.0.1", Options{}, false, ""},
		{"127.0.0.1", Options{TLS: TLSAuto}, false, ""},
		{"::1", Options{TLS: TLSAuto}, false, ""},
		{"127.0.0.1", Options{TLS: TLSOn}, true, ""},
		{"127.0.0.1", Options{TLSCert: cert, TLSKey: key}, true, ""},
		{"192.0.2.1", Options{TLS: TLSAuto}, true, ""},
		{"192.0.2.1", Options{TLS: TLSOff}, false, ""},
		{"0.0.0.0", Options{}, true, ""},
		{"::", Options{TLS: TLSAuto}, true, ""},
		{"192.0.2.1", Options{TLSCert: cert}, false, "belong together"},
		{"192.0.2.1", Options{TLSCert: cert, TLSKey: key, TLS: TLSOff}, false, "give one of the two"},
		{"192.0.2.1", Options{TLSCert: cert, TLSKey: cert}, false, "read the hub's certificate"},
		{"192.0.2.1", Options{TLS: "maybe"}, false, "auto, on and off"},
	} {
		c.o.Log, c.o.State = quiet, pairing.State{Dir: t.TempDir()}
		got, err := c.o.certificate(&net.TCPAddr{IP: net.ParseIP(c.address), Port: 8080})
		if (got != nil) != c.tls || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s with --tls=%s: %v, %v; want %v, %q", c.address, c.o.TLS, got != nil, err, c.tls, c.err)
		}
		if c.tls && pin(got) == "" {
			t.Errorf("%s: no pin", c.address)
		}
	}
}
