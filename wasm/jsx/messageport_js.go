package jsx

import "fmt"

// MessagePort is one end of a MessageChannel.
type MessagePort struct {
	port Value
	in   *Callback
}

// NewMessagePort takes a JavaScript MessagePort over and calls receive with the data of each
// message, in order, beginning with those that already wait. receive must not block.
func NewMessagePort(name string, port Value, receive func(data Value)) (*MessagePort, error) {
	in, err := NewCallback(name, func(args []Value) {
		if len(args) == 0 {
			return
		}
		if data, err := args[0].Get("data"); err == nil {
			receive(data)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := port.Set("onmessage", in.Value()); err != nil {
		in.Release()
		return nil, fmt.Errorf("listen on %s: %w", name, err)
	}
	return &MessagePort{port, in}, nil
}

// Post sends x, made by ToJS; the memory of its Uint8Arrays moves instead of being copied.
func (p *MessagePort) Post(x any) error {
	v, buffers, err := ToJS(x)
	if err != nil {
		return fmt.Errorf("post: %w", err)
	}
	if len(buffers) == 0 {
		_, err = p.port.Call("postMessage", v)
	} else {
		transfer := make([]any, len(buffers))
		for i, b := range buffers {
			transfer[i] = b
		}
		_, err = p.port.Call("postMessage", v, transfer)
	}
	if err != nil {
		return fmt.Errorf("post: %w", err)
	}
	return nil
}

// Close ends the listening and closes the port.
func (p *MessagePort) Close() error {
	_, err := p.port.Call("close")
	if serr := p.port.Set("onmessage", nil); err == nil {
		err = serr
	}
	p.in.Release()
	return err
}

// Channel is a new MessageChannel: what is posted on one port arrives at the other.
func Channel() (a, b Value, err error) {
	class, err := Global("MessageChannel")
	if err != nil {
		return a, b, err
	}
	channel, err := class.New()
	if err != nil {
		return a, b, fmt.Errorf("make a MessageChannel: %w", err)
	}
	if a, err = Field(channel, "port1"); err != nil {
		return a, b, err
	}
	b, err = Field(channel, "port2")
	return a, b, err
}
