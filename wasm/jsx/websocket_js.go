package jsx

import "fmt"

// WebSocket is a JavaScript WebSocket that carries binary messages.
type WebSocket struct {
	socket Value
	calls  []*Callback
}

// WebSocketEvents are called from JavaScript, in order, and must not block. After Close nothing
// more is called.
type WebSocketEvents struct {
	Open    func()
	Message func(data []byte)
	Close   func(reason string)
}

// NewWebSocket begins to connect to url. Each message is copied into Go's memory. What went wrong
// a browser does not say; the reason of Close is what it does say.
func NewWebSocket(name, url string, on WebSocketEvents) (*WebSocket, error) {
	class, err := Global("WebSocket")
	if err != nil {
		return nil, err
	}
	socket, err := class.New(url)
	if err != nil {
		return nil, fmt.Errorf("open a WebSocket: %w", err)
	}
	w := &WebSocket{socket: socket}
	if err := socket.Set("binaryType", "arraybuffer"); err != nil {
		return nil, fmt.Errorf("open a WebSocket: %w", err)
	}
	closed := false
	for event, f := range map[string]func(Value){
		"open": func(Value) { on.Open() },
		"message": func(e Value) {
			if b, err := messageBytes(e); err == nil {
				on.Message(b)
			}
		},
		"close": func(e Value) {
			if closed {
				return
			}
			closed = true
			on.Close(closeReason(e))
			w.release()
		},
	} {
		call, err := NewCallback(name+" "+event, func(args []Value) {
			if len(args) > 0 {
				f(args[0])
			}
		})
		if err != nil {
			w.release()
			return nil, err
		}
		w.calls = append(w.calls, call)
		if err := socket.Set("on"+event, call.Value()); err != nil {
			w.release()
			return nil, fmt.Errorf("open a WebSocket: %w", err)
		}
	}
	return w, nil
}

// messageBytes copies a message's ArrayBuffer; text is no message of ours.
func messageBytes(event Value) ([]byte, error) {
	data, err := Field(event, "data")
	if err != nil {
		return nil, err
	}
	class, err := Global("Uint8Array")
	if err != nil {
		return nil, err
	}
	view, err := class.New(data)
	if err != nil {
		return nil, err
	}
	return Bytes(view)
}

func closeReason(event Value) string {
	code, reason := 0, ""
	if v, err := event.Get("code"); err == nil {
		code, _ = v.Int()
	}
	if v, err := event.Get("reason"); err == nil {
		reason, _ = v.String()
	}
	if reason == "" {
		return fmt.Sprintf("closed with code %d", code)
	}
	return fmt.Sprintf("closed with code %d: %s", code, reason)
}

// release takes the event handlers away and gives them up.
func (w *WebSocket) release() {
	for _, event := range []string{"open", "message", "close"} {
		_ = w.socket.Set("on"+event, nil)
	}
	for _, c := range w.calls {
		c.Release()
	}
	w.calls = nil
}

// Send queues a message; b may be used again afterwards.
func (w *WebSocket) Send(b []byte) error {
	v, err := Uint8Array(b)
	if err != nil {
		return err
	}
	if _, err := w.socket.Call("send", v); err != nil {
		return fmt.Errorf("send on a WebSocket: %w", err)
	}
	return nil
}

// Buffered is how many bytes are queued and not sent yet.
func (w *WebSocket) Buffered() (int, error) {
	v, err := Field(w.socket, "bufferedAmount")
	if err != nil {
		return 0, err
	}
	return v.Int()
}

// Close closes the socket; browsers allow the code 1000 and those from 3000 on. The event Close
// follows, when the other side has answered or does not.
func (w *WebSocket) Close() error {
	if _, err := w.socket.Call("close", 1000); err != nil {
		return fmt.Errorf("close a WebSocket: %w", err)
	}
	return nil
}
