package methods

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/tabernetes/tabernetes/wasm/port"
)

func socketBy(t *testing.T, l Visited, params visitSocketParams) *wire {
	t.Helper()
	return called(t, VisitSocket(func(context.Context) (Visited, error) { return l, nil }), params)
}

// says sends a message as the page does.
func (w *wire) says(kind byte, payload string) {
	framed := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	w.server.Receive(port.In{Type: "data", ID: 1, Chunk: append(framed, payload...)})
}

func (w *wire) untilBody(t *testing.T, want string) {
	t.Helper()
	w.until(t, func(port.Out) bool { return strings.Contains(w.bodyLocked(), want) })
}

// bodyLocked is body for whoever holds the lock.
func (w *wire) bodyLocked() string {
	var b strings.Builder
	for _, o := range w.posted {
		if o["type"] == "data" {
			b.Write(o["chunk"].([]byte))
		}
	}
	return b.String()
}

// TestVisitSocket: host, origin and subprotocols are the page's; messages go both ways; a goodbye has its code.
func TestVisitSocket(t *testing.T) {
	up := websocket.Upgrader{Subprotocols: []string{"two"}, CheckOrigin: func(*http.Request) bool { return true }}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, "%s %s %s", r.Host, r.URL, r.Header.Get("Origin")))
		for {
			kind, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			if string(message) == "bye" {
				_ = conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(4001, "enough"))
				return
			}
			_ = conn.WriteMessage(kind, append([]byte("again "), message...))
		}
	}))
	defer s.Close()
	fine := visitSocketParams{Address: "10.96.0.7:80", Host: "web.example", Path: "/ws?a=%2F", Origin: "http://web.example", Protocols: []string{"one", "two"}}
	w := socketBy(t, leading{to: s.Listener.Addr().String()}, fine)
	if head := w.until(t, ofType("head")); head["status"] != 101 || fmt.Sprint(head["headers"]) != "[[sec-websocket-protocol two]]" {
		t.Errorf("head %v", head)
	}
	w.untilBody(t, "web.example /ws?a=%2F http://web.example")
	w.says(saidText, "häh")
	w.untilBody(t, "\x01\x00\x00\x00\x0aagain häh")
	w.says(saidBinary, "\x00\x01")
	w.untilBody(t, "\x02\x00\x00\x00\x08again \x00\x01")
	w.until(t, func(o port.Out) bool { return fmt.Sprint(o["event"]) == "map[took:2]" })
	w.says(saidText, "bye")
	w.untilBody(t, "\x08\x00\x00\x00\x08\x0f\xa1enough")
	w.until(t, ofType("result"))

	// The page says goodbye.
	w = socketBy(t, leading{to: s.Listener.Addr().String()}, fine)
	w.until(t, ofType("head"))
	w.says(saidClose, "\x03\xe8done")
	w.untilBody(t, "\x08\x00\x00\x00\x02\x03\xe8")
	w.until(t, ofType("result"))
}

// deaf is a connection that takes the first of what is written, and no more; then it tells so.
type deaf struct {
	net.Conn
	writes  int
	refused chan struct{}
}

func (d *deaf) Write(b []byte) (int, error) {
	if d.writes++; d.writes == 1 {
		return d.Conn.Write(b)
	}
	if d.writes == 2 {
		close(d.refused)
	}
	return 0, syscall.EPIPE
}

type leadingTo func(ctx context.Context) (net.Conn, error)

func (l leadingTo) Visit(ctx context.Context, to netip.AddrPort) (net.Conn, netip.AddrPort, error) {
	conn, err := l(ctx)
	return conn, to, err
}

// TestVisitSocketHearsGoodbye: an end that takes no more of what is said has said why, and that is heard, though the
// page's message has failed before.
func TestVisitSocketHearsGoodbye(t *testing.T) {
	refused := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		<-refused
		_ = conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseMessageTooBig, ""))
	}))
	defer s.Close()
	to := leadingTo(func(ctx context.Context) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.Listener.Addr().String())
		return &deaf{Conn: conn, refused: refused}, err
	})
	w := socketBy(t, to, visitSocketParams{Address: "10.96.0.7:80", Host: "web", Path: "/", Origin: "http://web"})
	w.until(t, ofType("head"))
	w.says(saidText, strings.Repeat("x", 10<<10))
	w.untilBody(t, "\x08\x00\x00\x00\x02\x03\xf1")
	w.until(t, ofType("result"))
}

// TestVisitSocketTrustsNobody: what is no WebSocket, ends nowhere, says too much or breaks off ends the call; and so
// does a page that says what is no message.
func TestVisitSocketTrustsNobody(t *testing.T) {
	raw := func(answer func(net.Conn)) leading {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					answer(c)
				}()
			}
		}()
		return leading{to: ln.Addr().String()}
	}
	served := func(h http.HandlerFunc) leading {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return leading{to: s.Listener.Addr().String()}
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	talks := func(does func(*websocket.Conn)) leading {
		return served(func(w http.ResponseWriter, r *http.Request) {
			if conn, err := up.Upgrade(w, r, nil); err == nil {
				defer conn.Close()
				does(conn)
			}
		})
	}
	waits := func(c *websocket.Conn) { _, _, _ = c.ReadMessage() }
	fine := visitSocketParams{Address: "10.96.0.7:80", Host: "web", Path: "/", Origin: "http://web"}
	with := func(change func(*visitSocketParams)) visitSocketParams { p := fine; change(&p); return p }
	for _, c := range []struct {
		name    string
		by      leading
		params  visitSocketParams
		says    string // as it goes over the wire
		message string
	}{
		{"refused", leading{err: syscall.ECONNREFUSED}, fine, "", "connection refused"},
		{"no WebSocket", served(http.NotFound), fine, "", "404 Not Found, and no WebSocket"},
		{"headers without end", raw(func(c net.Conn) {
			for line := "HTTP/1.1 101 Switching Protocols\r\n"; ; line = "X: " + strings.Repeat("y", 4000) + "\r\n" {
				if _, err := io.WriteString(c, line); err != nil {
					return
				}
			}
		}), fine, "", "headers do not end"},
		{"too large a message", talks(func(c *websocket.Conn) { _ = c.WriteMessage(websocket.TextMessage, make([]byte, socketMessage+1)) }), fine, "", "read limit exceeded"},
		{"cut off", talks(func(c *websocket.Conn) { _ = c.NetConn().Close() }), fine, "", "the connection broke"},
		{"no frame", talks(func(c *websocket.Conn) { _, _ = c.NetConn().Write([]byte{0xff, 0xff, 0, 0}) }), fine, "", "websocket"},
		{"no address", leading{}, with(func(p *visitSocketParams) { p.Address = "kubernetes.default:443" }), "", "kubernetes.default"},
		{"no path", leading{}, with(func(p *visitSocketParams) { p.Path = "@evil.example/" }), "", "a path begins with /"},
		{"a subprotocol that ends its line", leading{}, with(func(p *visitSocketParams) { p.Protocols = []string{"a\r\nX: y"} }), "", "is no subprotocol"},
		{"an origin that ends its line", talks(waits), with(func(p *visitSocketParams) { p.Origin = "x\r\nX-Evil: y" }), "", ""},
		{"a kind that is none", talks(waits), fine, "\x07\x00\x00\x00\x00", "a message of kind 7"},
		{"more than a message may have", talks(waits), fine, "\x01\xff\xff\xff\xff", "a message of 4294967295 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := socketBy(t, c.by, c.params)
			if c.says != "" {
				w.until(t, ofType("head"))
				w.server.Receive(port.In{Type: "data", ID: 1, Chunk: []byte(c.says)})
			}
			if c.message == "" { // it is written as one line
				w.until(t, ofType("head", "error"))
				return
			}
			answer := w.until(t, ofType("error"))
			if m := answer["error"].(map[string]any)["message"].(string); !strings.Contains(m, c.message) {
				t.Errorf("message %q, want %q in it", m, c.message)
			}
		})
	}
}
