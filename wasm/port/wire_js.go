package port

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// Open listens on a JavaScript MessagePort. start is called first, with the wire to answer on,
// and returns what takes the messages.
func Open(port jsx.Value, start func(Wire) *Server) (*Server, error) {
	w := &messagePort{}
	s := start(w)
	var err error
	w.port, err = jsx.NewMessagePort("page", port, func(data jsx.Value) {
		m, err := decode(data)
		if err != nil {
			log.Printf("port: a message from the page is dropped: %v", err)
			return
		}
		s.Receive(m)
	})
	return s, err
}

type messagePort struct{ port *jsx.MessagePort }

var _ Wire = (*messagePort)(nil)

func (w *messagePort) Post(o Out) error { return w.port.Post(map[string]any(o)) }

// decode reads the fields that the message's type has; bytes are copied, nothing is kept.
func decode(v jsx.Value) (m In, err error) {
	if m.Type, err = text(v, "type"); err != nil {
		return m, err
	}
	if m.ID, err = number(v, "id"); err != nil {
		return m, err
	}
	switch m.Type {
	case "call":
		if m.Method, err = text(v, "method"); err != nil {
			return m, err
		}
		params, err := v.Get("params")
		if err != nil {
			return m, err
		}
		m.Params = json.RawMessage("null")
		return m, jsx.Unmarshal(params, &m.Params)
	case "data":
		chunk, err := jsx.Field(v, "chunk")
		if err != nil {
			return m, err
		}
		m.Chunk, err = jsx.Bytes(chunk)
		return m, err
	case "ack":
		m.Bytes, err = number(v, "bytes")
	case "resize":
		if m.Cols, err = number(v, "cols"); err != nil {
			return m, err
		}
		m.Rows, err = number(v, "rows")
	case "signal":
		m.Signal, err = text(v, "signal")
	case "order":
		order, err := v.Get("order")
		if err != nil {
			return m, err
		}
		m.Order = json.RawMessage("null")
		return m, jsx.Unmarshal(order, &m.Order)
	case "edited":
		if m.Ask, err = number(v, "ask"); err != nil {
			return m, err
		}
		answer, err := v.Get("text")
		if err != nil || answer.IsUndefined() {
			return m, err
		}
		edited, err := answer.String()
		m.Text = &edited
		return m, err
	case "end", "cancel":
	default:
		err = fmt.Errorf("unknown type %q", m.Type)
	}
	return m, err
}

func text(v jsx.Value, name string) (string, error) {
	f, err := jsx.Field(v, name)
	if err != nil {
		return "", err
	}
	return f.String()
}

func number(v jsx.Value, name string) (int, error) {
	f, err := jsx.Field(v, name)
	if err != nil {
		return 0, err
	}
	return f.Int()
}
