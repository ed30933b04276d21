package port

import (
	"encoding/json"
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
		m, err := decode(object{data})
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

// object is a message as JavaScript has it.
type object struct{ jsx.Value }

var _ message = object{}

func (o object) text(name string) (string, error) {
	f, err := jsx.Field(o.Value, name)
	if err != nil {
		return "", err
	}
	return f.String()
}

func (o object) number(name string) (int, error) {
	f, err := jsx.Field(o.Value, name)
	if err != nil {
		return 0, err
	}
	return f.Int()
}

func (o object) bytes(name string) ([]byte, error) {
	f, err := jsx.Field(o.Value, name)
	if err != nil {
		return nil, err
	}
	return jsx.Bytes(f)
}

func (o object) json(name string) (json.RawMessage, error) {
	f, err := o.Get(name)
	if err != nil {
		return nil, err
	}
	text := json.RawMessage("null")
	err = jsx.Unmarshal(f, &text)
	return text, err
}

func (o object) optional(name string) (*string, error) {
	f, err := o.Get(name)
	if err != nil || f.IsUndefined() {
		return nil, err
	}
	text, err := f.String()
	return &text, err
}
