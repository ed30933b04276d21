package jsx

import (
	"errors"
	"fmt"
	"sync"
)

// ErrWorkerGone is that the browser's process of a Worker has ended, and with it all that ran there.
var ErrWorkerGone = errors.New("the browser's process in which it ran has ended")

// Worker is a JavaScript Worker that a function of the page's has begun.
type Worker struct {
	worker Value
	mu     sync.Mutex
	calls  []*Callback // nil once it has ended
}

// NewWorker takes a Worker over. receive is called with the data of each message, failed with what the browser says
// when its script cannot run or throws, or ErrWorkerGone where the page's script says that (web/worker); both from JavaScript, and must not block.
func NewWorker(name string, worker Value, receive func(data Value), failed func(error)) (*Worker, error) {
	w := &Worker{worker: worker}
	for event, f := range map[string]func(Value){
		"message": func(e Value) {
			if data, err := e.Get("data"); err == nil {
				receive(data)
			}
		},
		"close":        func(Value) { failed(ErrWorkerGone) },
		"messageerror": func(Value) { failed(errors.New("it said what cannot be read")) },
		"error": func(e Value) {
			_, _ = e.Call("preventDefault")
			message := "its script could not be loaded"
			if v, err := e.Get("message"); err == nil {
				if text, err := v.String(); err == nil && text != "" {
					message = text
				}
			}
			failed(errors.New(message))
		},
	} {
		call, err := NewCallback(name+" "+event, func(args []Value) {
			if len(args) > 0 {
				f(args[0])
			}
		})
		if err == nil {
			w.calls = append(w.calls, call)
			err = worker.Set("on"+event, call.Value())
		}
		if err != nil {
			w.Terminate()
			return nil, fmt.Errorf("listen to %s: %w", name, err)
		}
	}
	return w, nil
}

// Post sends bytes, whose copy is the Worker's own.
func (w *Worker) Post(b []byte) error {
	v, err := Uint8Array(b)
	if err != nil {
		return err
	}
	buffer, err := Field(v, "buffer")
	if err != nil {
		return err
	}
	if _, err := w.worker.Call("postMessage", v, []any{buffer}); err != nil {
		return fmt.Errorf("post to a Worker: %w", err)
	}
	return nil
}

// Terminate ends it at once. It may be called again, and from what the Worker calls.
func (w *Worker) Terminate() {
	w.mu.Lock()
	calls := w.calls
	w.calls = nil
	w.mu.Unlock()
	if calls == nil {
		return
	}
	for _, event := range []string{"message", "messageerror", "error", "close"} {
		_ = w.worker.Set("on"+event, nil)
	}
	_, _ = w.worker.Call("terminate")
	for _, c := range calls {
		c.Release()
	}
}

// BytesUpTo copies a Uint8Array that has most bytes at most.
func BytesUpTo(v Value, most int) ([]byte, error) {
	n, err := v.Length()
	if err != nil {
		return nil, fmt.Errorf("read bytes: %w", err)
	}
	if n < 0 || n > most {
		return nil, fmt.Errorf("read bytes: there are %d, and %d are allowed", n, most)
	}
	return Bytes(v)
}
