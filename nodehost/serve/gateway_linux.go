package serve

import (
	"context"
	"net/http"

	"github.com/tabernetes/tabernetes/nodehost/gateway"
)

// openGateway leads from the control plane's network, which has no way out, to the etcd that it
// was told to use and nowhere else.
func (o *Options) openGateway(ctx context.Context) (leave func(), err error) {
	addresses, err := o.Etcd.Addresses()
	if err != nil {
		return nil, err
	}
	o.Etcd.Gateway = o.State.Gateway()
	ln, err := listenSocket(o.Etcd.Gateway)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = serveHTTP(ctx, &http.Server{Handler: gateway.Handler(addresses)}, ln)
	}()
	return func() { cancel(); <-ended }, nil
}
