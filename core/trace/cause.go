package trace

import (
	"context"
	"strconv"

	"github.com/tabernetes/tabernetes/core/goroutine"
)

type causeKey struct{}

// With is ctx for what the step id causes.
func With(ctx context.Context, id ID) context.Context {
	if id == 0 {
		return ctx
	}
	return context.WithValue(ctx, causeKey{}, id)
}

// Carried is the step that ctx says the caller works for; 0 is none.
func Carried(ctx context.Context) ID {
	id, _ := ctx.Value(causeKey{}).(ID)
	return id
}

// mark is the label of goroutines that says what they work for.
const mark = "cause"

// Mark has all that the calling goroutine does from now on, and those that it starts, be caused by
// the step id, until done is called by the same goroutine.
func Mark(id ID) (done func()) {
	if id == 0 {
		return func() {}
	}
	return goroutine.Mark(mark, strconv.FormatInt(int64(id), 10))
}

// Unmark has what the calling goroutine does from now on, and those that it starts, be caused by nothing that Mark has
// said: it goes on to other work.
func Unmark() {
	if goroutine.Value(mark) != "" {
		goroutine.Mark(mark, "")
	}
}

// Cause is the step that the caller works for: ctx says so, or else its goroutine. 0 is none.
func Cause(ctx context.Context) ID {
	if ctx != nil {
		if id, ok := ctx.Value(causeKey{}).(ID); ok {
			return id
		}
	}
	return Marked()
}

// Marked is the step that the calling goroutine works for.
func Marked() ID {
	id, err := strconv.ParseInt(goroutine.Value(mark), 10, 64)
	if err != nil {
		return 0
	}
	return ID(id)
}

// Carry takes the cause over into another context: that of a request's handler, which has nothing of
// its client's but the end.
func Carry(from, to context.Context) context.Context { return With(to, Cause(from)) }
