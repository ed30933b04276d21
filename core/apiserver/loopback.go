package apiserver

import (
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/inprocess"
)

// loopback is the way from the server to itself. The requests that it sends itself while it starts
// skip TLS and framing; they are authenticated as upstream has it, by the loopback client's token.
type loopback struct {
	inprocess.Transport // to the whole chain, once it is there
	signed              *inprocess.Endpoint
}

func newLoopback() *loopback {
	l := &loopback{}
	l.signed = l.Endpoint("kube-apiserver", nil).As("kube-apiserver")
	return l
}

// keep makes the clients that are built from the configuration from now on stay in the process.
func (l *loopback) keep(c *genericapiserver.Config) {
	if c.LoopbackClientConfig.Transport == l.signed {
		return
	}
	client := rest.CopyConfig(c.LoopbackClientConfig)
	client.TLSClientConfig, client.Transport = rest.TLSClientConfig{}, l.signed
	c.LoopbackClientConfig = client
}
