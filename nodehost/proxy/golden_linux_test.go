package proxy

import (
	"embed"
	"net/netip"
	"testing"

	"k8s.io/client-go/rest"
	proxyconfigapi "k8s.io/kubernetes/pkg/proxy/apis/config"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/scripts/golden"
)

//go:embed testdata
var testdata embed.FS

// TestGoldenConfiguration: all that kube-proxy is told.
func TestGoldenConfiguration(t *testing.T) {
	p, err := New(Options{
		Client: &rest.Config{}, NodeName: "alpha", NodeIP: netip.MustParseAddr("192.0.2.7"),
		PodCIDRs: []netip.Prefix{netip.MustParsePrefix("fd00::/64"), netip.MustParsePrefix("10.244.7.0/24")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []proxyconfigapi.ProxyMode{proxyconfigapi.ProxyModeNFTables, proxyconfigapi.ProxyModeIPTables} {
		text, err := yaml.Marshal(p.configuration(mode))
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, testdata, string(mode)+".yaml", string(text))
	}
}
