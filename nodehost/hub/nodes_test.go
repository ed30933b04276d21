package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// machine is a node: it echoes what a cluster sends to the one address that it allows.
type machine struct {
	*tunnel.Client
	up chan tunnel.Welcome
}

const allowed = "192.0.2.7:10250"

func (r *rig) attachNode(cluster, instance string) *machine {
	r.t.Helper()
	m := &machine{up: make(chan tunnel.Welcome, 16)}
	m.Client = &tunnel.Client{
		Dial: func(ctx context.Context) (net.Conn, error) {
			ws, _, err := websocket.Dial(ctx, "ws://"+r.page+"/hub/v1/node", nil)
			if err != nil {
				return nil, err
			}
			return websocket.NetConn(context.Background(), ws, websocket.MessageBinary), nil
		},
		Hello: tunnel.Hello{Name: cluster, Instance: instance},
		Options: tunnel.Options{
			Authorise: func(h tunnel.Header) error {
				if h.Kind != tunnel.KindDial || h.Target != allowed {
					return errors.New("this is not the kubelet")
				}
				return nil
			},
			Handle: func(_ context.Context, _ tunnel.Header, conn net.Conn) {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			},
		},
		OnState: func(s tunnel.State) {
			if s.Up {
				m.up <- s.Welcome
			}
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = m.Run(ctx) }()
	r.t.Cleanup(func() { cancel(); <-ended })
	return m
}

func (m *machine) welcome(t *testing.T) tunnel.Welcome {
	t.Helper()
	select {
	case w := <-m.up:
		return w
	case <-time.After(longEnough):
		t.Fatal("the node is not attached")
		return tunnel.Welcome{}
	}
}

// echo sends a line by a route and reads it back.
func echo(b *backend, target string) (string, error) {
	conn, err := b.Open(tunnel.Header{Kind: tunnel.KindDial, Target: target})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello")); err != nil {
		return "", err
	}
	got := make([]byte, 5)
	_, err = io.ReadFull(conn, got)
	return string(got), err
}

// echoSoon is echo of a node that has just been welcomed: the hub puts it in place a moment later.
func echoSoon(b *backend, target string) (got string, err error) {
	for end := time.Now().Add(longEnough); time.Now().Before(end); {
		if got, err = echo(b, target); err == nil || !strings.Contains(err.Error(), "not attached") {
			break
		}
	}
	return got, err
}

func instanceOf(letter string) string { return strings.Repeat(letter, 32) }

func TestAClusterDialsItsNode(t *testing.T) {
	r := newRig(t, nil)
	b := r.attachCluster("tab", instanceOf("a"))
	b.welcome(t)
	other := r.attachCluster("other", instanceOf("b"))
	other.welcome(t)
	m := r.attachNode("tab", instanceOf("n"))
	w := m.welcome(t)
	if w.Seen != "127.0.0.1" {
		t.Errorf("the node is told that it is seen as %q", w.Seen)
	}
	if w.Name != "tab" || len(w.Route) < 26 || strings.Contains(w.Route, "n"+instanceOf("n")) {
		t.Errorf("welcome %+v", w)
	}
	if got, err := echoSoon(b, w.Route+" "+allowed); err != nil || got != "hello" {
		t.Errorf("its own cluster: %q, %v", got, err)
	}
	for name, try := range map[string]struct {
		from   *backend
		target string
		want   string
	}{
		"another cluster":             {other, w.Route + " " + allowed, "not attached"},
		"a route that nobody has":     {b, routeOf("x") + " " + allowed, "not attached"},
		"an address it does not want": {b, w.Route + " 127.0.0.1:22", "not the kubelet"},
		"no address":                  {b, w.Route, "opens no streams"},
	} {
		if _, err := echo(try.from, try.target); err == nil || !strings.Contains(err.Error(), try.want) {
			// What the node says ends at the hub; the cluster sees the stream end.
			if try.want != "not the kubelet" || err == nil {
				t.Errorf("%s: %v, want %q", name, err, try.want)
			}
		}
	}
}

func TestANodeReachesItsCluster(t *testing.T) {
	r := newRig(t, nil)
	b := r.attachCluster("tab", instanceOf("a"))
	b.welcome(t)
	m := r.attachNode("", instanceOf("n")) // the only cluster
	m.welcome(t)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: b.ca, ServerName: "127.0.0.1"},
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return m.Open(tunnel.Header{Kind: tunnel.KindAPI})
		},
	}}
	res, err := client.Get("https://127.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); string(text) != "this is tab" {
		t.Errorf("got %q", text)
	}
	if from := res.Header.Get("X-Client"); !strings.HasPrefix(from, "127.0.0.1:") {
		t.Errorf("the cluster takes the node for %q", from)
	}
}

func TestANodeComesBackToItsRoute(t *testing.T) {
	r := newRig(t, nil)
	b := r.attachCluster("tab", instanceOf("a"))
	b.welcome(t)
	first := r.attachNode("tab", instanceOf("n"))
	route := first.welcome(t).Route
	_ = first.Session().Close()
	if again := first.welcome(t).Route; again != route {
		t.Errorf("it came back as %s, and was %s", again, route)
	}
	if got, err := echoSoon(b, route+" "+allowed); err != nil || got != "hello" {
		t.Errorf("after it came back: %q, %v", got, err)
	}
	if stranger := r.attachNode("tab", instanceOf("m")).welcome(t).Route; stranger == route {
		t.Error("another node has the same route")
	}
}

func TestWhoIsNoNode(t *testing.T) {
	r := newRig(t, nil)
	_, res, err := websocket.Dial(t.Context(), "ws://"+r.page+"/hub/v1/node", &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {"http://" + r.page}},
	})
	if err == nil || res == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("a page: %v", err)
	}
	wire := func() net.Conn {
		ws, _, err := websocket.Dial(t.Context(), "ws://"+r.page+"/hub/v1/node", nil)
		if err != nil {
			t.Fatal(err)
		}
		return websocket.NetConn(context.Background(), ws, websocket.MessageBinary)
	}
	_, _, err = tunnel.Dial(t.Context(), wire(), tunnel.Hello{Name: "nobody", Instance: instanceOf("n")}, tunnel.Options{})
	if refused, ok := errors.AsType[*tunnel.Refusal](err); !ok || !strings.Contains(refused.Reason, `no cluster is called "nobody"`) {
		t.Errorf("a cluster that is not there: %v", err)
	}
}

// A stream to an in-tab pod is for nodes that the cluster has; of another machine no byte reaches it.
func TestOnlyANodeAsksForPods(t *testing.T) {
	r := newRig(t, nil)
	b := r.attachCluster("tab", instanceOf("a"))
	b.welcome(t)
	m := r.attachNode("tab", instanceOf("n"))
	route := m.welcome(t).Route
	ask := func() error {
		conn, err := m.Open(tunnel.Header{Kind: tunnel.KindPod})
		if err != nil {
			return err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(longEnough))
		return tls.Client(conn, &tls.Config{RootCAs: b.ca, ServerName: "127.0.0.1"}).HandshakeContext(t.Context())
	}
	if err := ask(); err == nil {
		t.Error("a machine that the cluster does not know has a stream to its pods")
	}
	b.knows(t, r, "tab", route)
	if err := ask(); err != nil {
		t.Errorf("a node: %v", err)
	}
}
