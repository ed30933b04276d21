package podtrace

import (
	"net/http"
	"testing"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/kubernetes/pkg/kubelet/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

type asked struct {
	server.AuthInterface
	cause trace.ID
}

func (a *asked) AuthenticateRequest(*http.Request) (*authenticator.Response, bool, error) {
	a.cause = trace.Marked()
	return nil, true, nil
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
