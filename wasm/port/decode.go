package port

import (
	"encoding/json"
	"fmt"
)

// message is one from the page, field by field, which may be anything: an embedder's script posts it.
type message interface {
	text(name string) (string, error)
	number(name string) (int, error)
	// bytes copies a Uint8Array.
	bytes(name string) ([]byte, error)
	// json is the value as JSON; null if there is none.
	json(name string) (json.RawMessage, error)
	// optional is a text; nil if there is none.
	optional(name string) (*string, error)
}

// decode reads the fields that the message's type has; bytes are copied, nothing is kept.
func decode(v message) (m In, err error) {
	if m.Type, err = v.text("type"); err != nil {
		return m, err
	}
	if m.ID, err = v.number("id"); err != nil {
		return m, err
	}
	switch m.Type {
	case "call":
		if m.Method, err = v.text("method"); err != nil {
			return m, err
		}
		m.Params, err = v.json("params")
	case "data":
		m.Chunk, err = v.bytes("chunk")
	case "ack":
		if m.Bytes, err = v.number("bytes"); err == nil && m.Bytes < 0 {
			err = fmt.Errorf("%d bytes are acknowledged", m.Bytes)
		}
	case "resize":
		if m.Cols, err = v.number("cols"); err != nil {
			return m, err
		}
		m.Rows, err = v.number("rows")
	case "signal":
		m.Signal, err = v.text("signal")
	case "order":
		m.Order, err = v.json("order")
	case "edited":
		if m.Ask, err = v.number("ask"); err != nil {
			return m, err
		}
		m.Text, err = v.optional("text")
	case "end", "cancel":
	default:
		err = fmt.Errorf("unknown type %.100q", m.Type)
	}
	return m, err
}
