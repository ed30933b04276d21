package podtrace

import (
	"context"
	"net/http"
	"testing"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/kubelet/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

type asked struct {
	server.AuthInterface
	cause    trace.ID
	decision authorizer.Decision
}

func (a *asked) AuthenticateRequest(*http.Request) (*authenticator.Response, bool, error) {
	a.cause = trace.Marked()
	return nil, true, nil
}

func (a *asked) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return a.decision, "", nil
}

// TestAnExecComesOfItsRequest: one that is passed on over a connection of this process, once; nobody else's address
// means anything, nor a connection that serves others after it.
func TestAnExecComesOfItsRequest(t *testing.T) {
	bus := trace.New()
	a := &asked{}
	auth := New(bus, "node-1").Auth(a)
	of := func(from, connection string) trace.ID {
		got := make(chan trace.ID)
		go func() { // as the server has one for each connection
			req, _ := http.NewRequest(http.MethodPost, "https://node-1:10250/exec/default/web/web", nil)
			req.RemoteAddr = from
			req.Header.Set("Connection", connection)
			_, _, _ = auth.AuthenticateRequest(req)
			got <- a.cause
		}()
		return <-got
	}
	bus.Dialled("127.0.0.1:40000", 7)
	if got := of("127.0.0.1:40001", "Upgrade"); got != 0 {
		t.Errorf("an address that nobody dialled from is caused by %d", got)
	}
	if got := of("127.0.0.1:40000", "Upgrade"); got != 7 {
		t.Errorf("the request is caused by %d, want 7", got)
	}
	if got := of("127.0.0.1:40000", "Upgrade"); got != 0 {
		t.Errorf("a second request is caused by %d", got)
	}
	bus.Dialled("127.0.0.1:40002", 8)
	if got := of("127.0.0.1:40002", "keep-alive"); got != 0 {
		t.Errorf("a request on a connection that is used again is caused by %d", got)
	}
	if got := of("127.0.0.1:40002", "Upgrade"); got != 0 {
		t.Errorf("what comes after it is caused by %d", got)
	}
	if New(nil, "node-1").Auth(a) != server.AuthInterface(a) {
		t.Error("without a trace the kubelet's own is not handed back")
	}
}

// TestALogComesOfItsRequest: of the one that was passed on for that pod's log, once, and told when it is allowed; what
// the connection serves after it comes of nothing.
func TestALogComesOfItsRequest(t *testing.T) {
	bus := trace.New()
	a := &asked{decision: authorizer.DecisionAllow}
	auth := New(bus, "node-1").Auth(a)
	served := func(path string) (told, cause trace.ID) {
		before, _ := bus.All()
		req, _ := http.NewRequest(http.MethodGet, "https://node-1:10250"+path, nil)
		_, _, _ = auth.AuthenticateRequest(req)
		_, _, _ = auth.Authorize(t.Context(), authorizer.AttributesRecord{Path: req.URL.Path})
		steps, _ := bus.All()
		for _, s := range steps[len(before):] {
			if s.Kind != logsKind || s.Object.Namespace != "default" || s.Object.Name != "web" || s.Details != (logsDetails{"nginx"}) {
				t.Errorf("%s is told as %+v", path, s)
			}
			told, cause = s.ID, s.Cause
		}
		return told, cause
	}
	const path = "/containerLogs/default/web/nginx"
	nothing := func(path, why string) {
		t.Helper()
		if told, _ := served(path); told != 0 || trace.Marked() != 0 {
			t.Errorf("%s: step %d is told, and what comes after it is caused by %d", why, told, trace.Marked())
		}
	}
	nothing(path, "nobody asked for it")
	bus.Entered("pods/default/web", "log", 7)
	nothing("/containerLogs/default/other/nginx", "another pod's")
	nothing("/containerLogs/default/web", "no container's")
	nothing("/logs/", "another path")
	if told, cause := served(path); told == 0 || cause != 7 || trace.Marked() != told {
		t.Errorf("step %d is told, of %d, and what comes after it is caused by %d", told, cause, trace.Marked())
	}
	nothing("/pods", "the next request of the connection")
	nothing(path, "a second log")

	a.decision = authorizer.DecisionDeny
	bus.Entered("pods/default/web", "log", 8)
	if told, _ := served(path); told != 0 {
		t.Errorf("a log that is refused is told as step %d", told)
	}
	a.decision = authorizer.DecisionAllow
	if told, cause := served(path); told == 0 || cause != 8 {
		t.Errorf("after somebody was refused it is told as step %d, of %d", told, cause)
	}
	trace.Unmark()
}
