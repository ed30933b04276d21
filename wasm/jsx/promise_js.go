package jsx

import (
	"context"
	"fmt"
)

// resolvedName is the callback that each wait has.
const resolvedName = "promise resolved"

// Await waits for a promise and returns what it resolves to. The error is what it rejects with,
// or the context's cause if that is done first; the promise then runs on unheard.
func Await(ctx context.Context, promise Value) (Value, error) {
	type outcome struct {
		v   Value
		err error
	}
	settled := make(chan outcome, 1)
	then, err := NewCallback(resolvedName, func(args []Value) {
		var o outcome
		if len(args) > 0 {
			o.v = args[0]
		}
		settled <- o
	})
	if err != nil {
		return Value{}, err
	}
	fail, err := NewCallback("promise rejected", func(args []Value) {
		o := outcome{err: fmt.Errorf("rejected without a reason")}
		if len(args) > 0 {
			o.err = AsError(args[0])
		}
		settled <- o
	})
	if err != nil {
		then.Release()
		return Value{}, err
	}
	release := func() {
		then.Release()
		fail.Release()
	}
	if _, err := promise.Call("then", then.Value(), fail.Value()); err != nil {
		release()
		return Value{}, fmt.Errorf("await: %w", err)
	}
	select {
	case o := <-settled:
		release()
		return o.v, o.err
	case <-ctx.Done():
		// JavaScript will still call one of the two: only then may they go.
		go func() {
			<-settled
			release()
		}()
		return Value{}, context.Cause(ctx)
	}
}
