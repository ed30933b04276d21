package jq

import (
	"context"
	"reflect"
	"unsafe"

	"github.com/itchyny/gojq"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

const (
	// perInstruction is what one instruction makes at most on average, in bytes, leaving aside what bounds
	// and iterated count.
	perInstruction = 32
	// minBudget and maxBudget are how much may have been made between two measurements. It is drawn before:
	// a container of 16 MiB must be able to run jq.
	minBudget = 1 << 20
	maxBudget = 4 << 20
)

// run is what is counted of one run.
type run struct {
	ctx    context.Context
	hold   func(bytes int) error
	err    error // why it was ended
	env    reflect.Value
	forks  *[]fork
	stack  *stack
	forked int // forks at the last instruction

	steps  uint
	spent  int // made since the last measurement, at most
	budget int
	live   int                  // at the last measurement
	seen   map[uintptr]struct{} // what iterated has counted since

	regexps  map[[2]string]*regex.Regexp // compiled, by expression and flags
	patterns int                         // bytes, of regexps
}

// fork and stack are gojq's types of these names, as far as they are read.
type (
	fork  struct{ pc, stackIndex, stackLimit, scopeIndex, scopeLimit, pathIndex, pathLimit, offset, depth int }
	stack struct {
		data         []block
		index, limit int
	}
	block struct {
		value any
		next  int
	}
)

// begin starts code on v.
func (r *run) begin(code *gojq.Code, v any, size int, values []any) (gojq.Iter, error) {
	*r = run{ctx: r.ctx, hold: r.hold, seen: map[uintptr]struct{}{}, regexps: r.regexps, patterns: r.patterns}
	if err := r.held(size); err != nil {
		return nil, err
	}
	iter := code.RunWithContext(hook{r.ctx, r}, v, values...)
	env := reflect.ValueOf(iter)
	if env.Kind() != reflect.Pointer || env.Elem().Kind() != reflect.Struct || !env.Elem().FieldByName("forks").IsValid() {
		return nil, errReach
	}
	r.env = env.Elem()
	r.forks = (*[]fork)(unsafe.Pointer(r.env.FieldByName("forks").UnsafeAddr()))
	r.stack = (*stack)(r.env.FieldByName("stack").UnsafePointer())
	return iter, nil
}

// end gives back what the run held.
func (r *run) end() { _ = r.hold(0) }

// held notes what the run holds, and gives it a budget for more: twice the one before, if little of what
// was made then is still there.
func (r *run) held(bytes int) error {
	if bytes-r.live < r.budget/4 {
		r.budget *= 2
	}
	r.budget = min(max(r.budget, minBudget), maxBudget, MaxHeld-bytes-r.patterns)
	r.live, r.spent = bytes, 0
	if r.budget < minBudget {
		return ErrMemory
	}
	return r.hold(bytes + r.budget + r.patterns)
}

// hook is the context that gojq asks at each instruction.
type hook struct {
	context.Context
	run *run
}

var closed = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done implements context.Context: it is where a run is counted.
func (h hook) Done() <-chan struct{} {
	r := h.run
	if r.env.IsValid() {
		r.iterated()
	}
	r.spent += perInstruction
	if r.steps++; r.steps%256 == 0 && r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.spent > r.budget && r.err == nil {
		clear(r.seen)
		r.err = r.held(r.measure())
	}
	if r.err != nil {
		return closed
	}
	return nil
}

// Err implements context.Context.
func (h hook) Err() error { return h.run.err }

// iterated counts the list that `.[]` has made of a container, which no function's bounds see: it lies
// where a fork has been made.
func (r *run) iterated() {
	forks := *r.forks
	grown := len(forks) > r.forked
	r.forked = len(forks)
	if !grown {
		return
	}
	at := forks[len(forks)-1].stackIndex
	if at < 0 || at >= len(r.stack.data) {
		return
	}
	switch list := r.stack.data[at].value.(type) {
	case nil, bool, int, float64, string, []any, map[string]any:
	default:
		v := reflect.ValueOf(list)
		if v.Kind() != reflect.Slice || v.Len() < 64 {
			return
		}
		size := v.Len() * int(v.Type().Elem().Size())
		end := v.Pointer() + uintptr(size) // of one list, however much of it is left
		if _, counted := r.seen[end]; !counted {
			r.seen[end] = struct{}{}
			r.spent += size
		}
	}
}
