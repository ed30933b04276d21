package methods

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// leading leads every visit to one address, or fails.
type leading struct {
	to  string
	err error
}

func (l leading) Visit(ctx context.Context, _ netip.AddrPort) (net.Conn, netip.AddrPort, error) {
	if l.err != nil {
		return nil, netip.AddrPort{}, l.err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.to)
	return conn, netip.MustParseAddrPort("10.244.1.7:8080"), err
}

func visitBy(t *testing.T, l leading, params visitParams) *wire {
	t.Helper()
	return called(t, Visit(func(context.Context) (Visited, error) { return l, nil }), params)
}

// called makes one call, as the page does.
func called(t *testing.T, method port.Handler, params any) *wire {
	t.Helper()
	w := &wire{notify: make(chan struct{}, 1)}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{"it": method})
	p, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	w.server.Receive(port.In{Type: "call", ID: 1, Method: "it", Params: p})
	return w
}

// TestVisit: the host is the page's, headers of the connection are not; redirects are told and not followed; where it
// ended comes before the head.
func TestVisit(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusFound)
		fmt.Fprintf(w, "%s %s %s %q %q %s", r.Method, r.Host, r.URL, r.Header.Get("Accept"), r.Header.Get("Upgrade"), b)
	}))
	defer s.Close()
	w := visitBy(t, leading{to: s.Listener.Addr().String()}, visitParams{
		Address: "10.96.0.7:80", Host: "web.example", Method: "POST", Path: "/form?a=%2F", Body: true,
		Headers: [][2]string{{"Accept", "text/html"}, {"Upgrade", "websocket"}, {"Host", "other"}, {"Content-Length", "9999"}},
	})
	w.server.Receive(port.In{Type: "data", ID: 1, Chunk: []byte("x=1")})
	w.server.Receive(port.In{Type: "end", ID: 1})
	w.until(t, ofType("result"))
	if got, want := w.body(), `POST web.example /form?a=%2F "text/html" "" x=1`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if head := w.until(t, ofType("head")); head["status"] != 302 {
		t.Errorf("head %v", head)
	}
	if e := w.until(t, ofType("event")); fmt.Sprint(e["event"]) != "map[endpoint:10.244.1.7:8080]" {
		t.Errorf("event %v", e)
	}
}

// TestVisitSaysWhyNot: the page is told why there is no answer, and asks nothing that is no request to an address.
func TestVisitSaysWhyNot(t *testing.T) {
	hangUp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hangUp.Close()
	go func() {
		for {
			c, err := hangUp.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	fine := visitParams{Address: "10.96.0.7:80", Host: "web", Method: "GET", Path: "/"}
	with := func(change func(*visitParams)) visitParams { p := fine; change(&p); return p }
	for _, c := range []struct {
		name            string
		by              leading
		params          visitParams
		failed, message string
	}{
		{"refused", leading{err: syscall.ECONNREFUSED}, fine, "refused", "connection refused"},
		{"dropped", leading{err: fmt.Errorf("%w: a NetworkPolicy", podnet.ErrDropped)}, fine, "dropped", "a NetworkPolicy"},
		{"cut off", leading{to: hangUp.Addr().String()}, fine, "broken", "GET http://web/: "},
		{"TLS that is cut off", leading{to: hangUp.Addr().String()}, with(func(p *visitParams) { p.TLS = true }), "broken", "GET https://web/: "},
		{"no address", leading{}, with(func(p *visitParams) { p.Address = "kubernetes.default:443" }), "", "kubernetes.default"},
		{"no path", leading{}, with(func(p *visitParams) { p.Path = "@evil.example/" }), "", "a path begins with /"},
		{"an address for a path", leading{}, with(func(p *visitParams) { p.Path = "http://evil.example/" }), "", "a path begins with /"},
		{"no method", leading{}, with(func(p *visitParams) { p.Method = "GET / HTTP/1.1\r\nX: y" }), "", "invalid method"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := visitBy(t, c.by, c.params)
			answer := w.until(t, ofType("error"))
			if m := answer["error"].(map[string]any)["message"].(string); !strings.Contains(m, c.message) {
				t.Errorf("message %q, want %q in it", m, c.message)
			}
			if c.failed != "" {
				if e := w.until(t, ofType("event")); c.failed != "broken" && fmt.Sprint(e["event"]) != "map[failed:"+c.failed+"]" {
					t.Errorf("event %v, want %s", e, c.failed)
				}
			}
		})
	}
}
