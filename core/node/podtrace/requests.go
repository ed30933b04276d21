package podtrace

import (
	"context"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/kubelet/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

var logsKind = declare("logs", kubelet+"/server", "Server.getContainerLogs", "s.host.GetKubeletContainerLogs(ctx,")

// logsDetails are of a log that the kubelet sends.
type logsDetails struct {
	Container string `json:"container"`
}

// Auth has what the kubelet's own server does for an exec, an attach, a port forward or a log come of the request to
// the API server that was passed on to it: upstream asks who it is in the goroutine that serves it from then on.
func (t *Tap) Auth(next server.AuthInterface) server.AuthInterface {
	if t == nil {
		return next
	}
	return &requests{next, t}
}

type requests struct {
	server.AuthInterface
	tap *Tap
}

// AuthenticateRequest implements authenticator.Request.
func (r *requests) AuthenticateRequest(req *http.Request) (*authenticator.Response, bool, error) {
	trace.Unmark() // a connection is used again, by the same goroutine
	// One that is upgraded has one request, and a goroutine that ends with it.
	if id := r.tap.bus.Dialler(req.RemoteAddr); id != 0 && httpstream.IsUpgradeRequest(req) {
		trace.Mark(id)
	}
	return r.AuthInterface.AuthenticateRequest(req)
}

// Authorize implements authorizer.Authorizer. Upstream asks until something is allowed, and then does it. Whoever may not
// read a log takes nothing away from whose request was passed on.
func (r *requests) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := r.AuthInterface.Authorize(ctx, a)
	if of, ok := logOf(a.GetPath()); ok && decision == authorizer.DecisionAllow {
		if cause := r.tap.bus.Entering(trace.ObjectKey("", "pods", of.namespace, of.pod), "log"); cause != 0 {
			r.tap.sends(of, cause)
		}
	}
	return decision, reason, err
}

// sends tells of a log that is about to be sent, for the request cause, which is found by the pod: what the runtime is
// asked for it comes of that step.
func (t *Tap) sends(of log, cause trace.ID) {
	object := trace.Object{Version: "v1", Resource: "pods", Namespace: of.namespace, Name: of.pod}
	t.mu.Lock()
	if known := t.names[of.namespace+"/"+of.pod]; known != nil {
		object = known.object()
	}
	t.mu.Unlock()
	s := trace.Step{
		ID: t.bus.Reserve(), Kind: logsKind, Object: object, Cause: cause, Inferred: true,
		Details: logsDetails{Container: of.container},
	}
	trace.Mark(s.ID)
	t.tell(s)
}

// log is that of a container.
type log struct{ namespace, pod, container string }

// logOf is the log that a path of the kubelet's server is for: /containerLogs/NAMESPACE/POD/CONTAINER.
func logOf(path string) (of log, ok bool) {
	rest, ok := strings.CutPrefix(path, "/containerLogs/")
	if !ok {
		return log{}, false
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 3 {
		return log{}, false
	}
	return log{trace.Text(parts[0]), trace.Text(parts[1]), trace.Text(parts[2])}, true
}
