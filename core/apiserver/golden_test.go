package apiserver

import (
	"embed"
	"net"
	"testing"

	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/scripts/golden"
)

//go:embed testdata
var testdata embed.FS

// at is a listener of which nothing but the address is asked.
type at struct{ net.Listener }

func (at) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 6443} }

// TestGoldenArgs: the whole command line of kube-apiserver.
func TestGoldenArgs(t *testing.T) {
	o := Options{
		Listener: at{}, AdvertiseIP: net.IPv4(192, 0, 2, 1), ServiceCIDR: "10.96.0.0/16", EtcdServers: "http://store",
		Keys: pki.Files{
			CA: "/keys/ca.crt", CAKey: "/keys/ca.key",
			APIServer: "/keys/apiserver.crt", APIServerKey: "/keys/apiserver.key",
			APIServerKubelet: "/keys/apiserver-kubelet-client.crt", APIServerKubeletKey: "/keys/apiserver-kubelet-client.key",
			FrontProxyCA: "/keys/front-proxy-ca.crt", FrontProxyClient: "/keys/front-proxy-client.crt",
			FrontProxyClientKey: "/keys/front-proxy-client.key", ServiceAccountKey: "/keys/sa.key", ServiceAccountPublicKey: "/keys/sa.pub",
		},
		ExtraArgs: []string{"--v=0"},
	}
	golden.Check(t, testdata, "args", golden.Lines(o.Args()))
}
