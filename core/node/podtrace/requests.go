package podtrace

import (
	"net/http"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/kubernetes/pkg/kubelet/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Auth has what the kubelet's own server does for an exec, an attach or a port forward come of the request to the
// API server that was passed on to it: upstream asks who it is in the goroutine that serves it from then on.
func (t *Tap) Auth(next server.AuthInterface) server.AuthInterface {
	if t == nil {
		return next
	}
	return &requests{next, t.bus}
}

type requests struct {
	server.AuthInterface
	bus *trace.Bus
}

// AuthenticateRequest implements authenticator.Request.
func (r *requests) AuthenticateRequest(req *http.Request) (*authenticator.Response, bool, error) {
	// Only such a connection has one request, and a goroutine that ends with it.
	if id := r.bus.Dialler(req.RemoteAddr); id != 0 && httpstream.IsUpgradeRequest(req) {
		trace.Mark(id) // without an end: it is the goroutine's only work
	}
	return r.AuthInterface.AuthenticateRequest(req)
}
