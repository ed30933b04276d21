package methods

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/tabernetes/tabernetes/wasm/port"
)

// Bounds of a WebSocket of the browser view.
const (
	socketMessage = 1 << 20 // bytes of one message, either way; LONGEST_MESSAGE of web/browser/bounds.ts
	socketWrite   = 30 * time.Second
	socketBye     = 5 * time.Second // until the other end has said goodbye, too
)

// Kinds of messages in `data` of visitSocket: one byte, four bytes of the length (big endian), and that many more.
// A close has two bytes of its code, or none, and the reason.
const (
	saidText   = 1
	saidBinary = 2
	saidClose  = 8
)

type visitSocketParams struct {
	// Address is "IP:port".
	Address   string   `json:"address"`
	TLS       bool     `json:"tls"`
	Host      string   `json:"host"`
	Path      string   `json:"path"`
	Origin    string   `json:"origin"`
	Protocols []string `json:"protocols"`
}

func (p *visitSocketParams) scheme() string {
	if p.TLS {
		return "wss"
	}
	return "ws"
}

// VisitSocket serves `visitSocket`: a WebSocket to an address of the cluster, led as a request of Visit is.
func VisitSocket(visited func(context.Context) (Visited, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p visitSocketParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("visitSocket: %w", err)
		}
		v, err := visited(ctx)
		if err == nil {
			err = visitSocket(ctx, c, p, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s://%.253s%.200s: %w", p.scheme(), p.Host, p.Path, err)
		}
		return struct{}{}, nil
	}
}

func visitSocket(ctx context.Context, c *port.Call, p visitSocketParams, v Visited) error {
	to, err := visitedAt(p.Address, p.Path)
	if err != nil {
		return err
	}
	for _, protocol := range p.Protocols {
		if refusedSubprotocol(protocol) {
			return fmt.Errorf("%.200q is no subprotocol", protocol)
		}
	}
	head := &headBound{}
	dialer := websocket.Dialer{
		HandshakeTimeout: visitHeader, Subprotocols: p.Protocols, ReadBufferSize: 4 << 10, WriteBufferSize: 4 << 10,
		TLSClientConfig: uncheckedTLS(p.Host),
		NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dialVisited(ctx, c, to, v)
			if err != nil {
				return nil, err
			}
			head.Conn = conn
			return head, nil
		},
	}
	conn, resp, err := dialer.DialContext(ctx, p.scheme()+"://"+p.Address+p.Path, http.Header{"Host": {p.Host}, "Origin": {p.Origin}})
	if err != nil {
		if resp != nil {
			err = fmt.Errorf("the answer is %d %s, and no WebSocket", resp.StatusCode, http.StatusText(resp.StatusCode))
		}
		return unanswered(ctx, c, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	head.over.Store(true)
	conn.SetReadLimit(socketMessage)
	if err := c.Head(http.StatusSwitchingProtocols, "", [][2]string{{"sec-websocket-protocol", conn.Subprotocol()}}); err != nil {
		return err
	}
	said := make(chan error, 1)
	go func() {
		err := sayTo(c, conn)
		said <- err
		switch {
		case errors.Is(err, errUntaken): // its goodbye, which says why, may be on its way still
			_ = conn.SetReadDeadline(time.Now().Add(socketBye))
		case err != nil:
			_ = conn.Close() // so that hearing ends, too
		}
	}()
	if err := hear(c, conn); err != nil {
		select { // what the page did comes first
		case err := <-said:
			if err != nil {
				return err
			}
		default:
		}
		return err
	}
	return nil
}

// hear hands on what the other end says, and how it closes. An error is a connection that broke.
func hear(c *port.Call, conn *websocket.Conn) error {
	for {
		kind, message, err := conn.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			payload := []byte(closed.Text)
			if closed.Code != websocket.CloseNoStatusReceived {
				payload = append(binary.BigEndian.AppendUint16(nil, uint16(closed.Code)), payload...)
			}
			if closed.Code == websocket.CloseAbnormalClosure {
				return errors.New("the connection broke")
			}
			return saying(c, saidClose, payload)
		case err != nil:
			return err
		case kind == websocket.TextMessage:
			err = saying(c, saidText, message)
		default:
			err = saying(c, saidBinary, message)
		}
		if err != nil {
			return err
		}
	}
}

func saying(c *port.Call, kind byte, payload []byte) error {
	framed := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	if _, err := c.Output("body").Write(append(framed, payload...)); err != nil {
		return err
	}
	return c.Flush()
}

// errUntaken is what becomes of a message for an end that takes no more.
var errUntaken = errors.New("the other end takes no more")

// sayTo says what the page sends. After a goodbye the other end has a moment for its own.
func sayTo(c *port.Call, conn *websocket.Conn) error {
	in := c.Input()
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return err
		}
		size := binary.BigEndian.Uint32(head[1:])
		if size > socketMessage {
			return fmt.Errorf("a message of %d bytes", size)
		}
		payload := make([]byte, size)
		if _, err := io.ReadFull(in, payload); err != nil {
			return err
		}
		until := time.Now().Add(socketWrite)
		switch head[0] {
		case saidText, saidBinary:
			if err := conn.SetWriteDeadline(until); err != nil {
				return err
			}
			if err := conn.WriteMessage(int(head[0]), payload); err != nil {
				return fmt.Errorf("%w: %w", errUntaken, err)
			}
			if err := c.Event(map[string]int{"took": int(size)}); err != nil {
				return err
			}
		case saidClose:
			if err := conn.WriteControl(websocket.CloseMessage, payload, until); err != nil {
				return err
			}
			return conn.SetReadDeadline(time.Now().Add(socketBye))
		default:
			return fmt.Errorf("a message of kind %d", head[0])
		}
	}
}

// headBound is a connection whose first answer must not be longer than an answer's headers may be: the library
// reads them whole.
type headBound struct {
	net.Conn
	read int
	over atomic.Bool
}

var errLongHead = errors.New("the answer's headers do not end")

// Read implements net.Conn.
func (h *headBound) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if !h.over.Load() {
		if h.read += n; h.read > visitHead {
			return 0, errLongHead
		}
	}
	return n, err
}

// refusedSubprotocol tells whether a page may ask for a subprotocol of that name: a token, as HTTP has them.
func refusedSubprotocol(name string) bool {
	return name == "" || len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}
