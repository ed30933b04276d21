package tunnel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// CallAccess is the method by which somebody asks a cluster's owner for access; question and
// answer are those of core/access.
const CallAccess = "access"

// answer is what comes back on a stream of KindCall.
type answer struct {
	Error string          `json:"error,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// CallError is an error that the other side answered a call with.
type CallError struct{ Message string }

func (e *CallError) Error() string { return e.Message }

// Call asks the other side and waits for its answer, as long as ctx allows. Question and answer
// are at most MaxMessage bytes of JSON. An error that the other side answered with is a
// *CallError, one that it refused with a *StreamRefusal.
func (s *Session) Call(ctx context.Context, method string, question, into any) error {
	stream, err := s.Open(Header{KindCall, method})
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	defer stream.Close()
	defer context.AfterFunc(ctx, func() { _ = stream.SetDeadline(time.Unix(1, 0)) })()
	if err := writeMessage(stream, question, MaxMessage); err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	var a answer
	if err := readMessage(stream, &a, MaxMessage); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("call %s: %w", method, err)
	}
	if a.Error != "" {
		return &CallError{a.Error}
	}
	if err := json.Unmarshal(a.Value, into); err != nil {
		return fmt.Errorf("call %s: read the answer: %w", method, err)
	}
	return nil
}

// ServeCall answers the call on a stream of KindCall and closes it. The context that f gets is
// done when the caller has gone.
func ServeCall(ctx context.Context, stream net.Conn, f func(ctx context.Context, question json.RawMessage) (any, error)) error {
	defer stream.Close()
	_ = stream.SetReadDeadline(time.Now().Add(headerPatience))
	var question json.RawMessage
	if err := readMessage(stream, &question, MaxMessage); err != nil {
		return fmt.Errorf("read a call's question: %w", err)
	}
	_ = stream.SetReadDeadline(time.Time{})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		// Nothing more comes; what ends this is the caller's going.
		_, _ = stream.Read(make([]byte, 1))
		cancel(errors.New("the caller has gone"))
	}()
	value, err := f(ctx, question)
	var a answer
	if err == nil {
		a.Value, err = json.Marshal(value)
	}
	if err != nil {
		a = answer{Error: err.Error()}
	}
	if err := writeMessage(stream, a, MaxMessage); err != nil {
		return fmt.Errorf("answer a call: %w", err)
	}
	return nil
}
