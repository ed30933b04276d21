package goroutine

import (
	"context"
	"runtime/pprof"
	"slices"
	"strings"
	_ "unsafe" // for go:linkname
)

// set has the layout of runtime/pprof's labels (internal/runtime/pprof/label, Set), which package
// runtime hands from goroutine to goroutine as a pointer. No exported function reads those of the
// goroutine that asks.
type set struct{ list []label }

type label struct{ key, value string }

//go:linkname get runtime/pprof.runtime_getProfLabel
func get() *set

//go:linkname put runtime/pprof.runtime_setProfLabel
func put(*set)

// sound is whether set has the layout that this Go has: else nothing is ever marked.
var sound = probe()

func probe() (ok bool) {
	before := get()
	defer put(before)
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("a", "1", "b", "2")))
	s := get()
	return s != nil && slices.Equal(s.list, []label{{"a", "1"}, {"b", "2"}})
}

// Mark gives the calling goroutine, and those that it starts from now on, one more label, beside
// those that it has; an empty value takes the label away. unmark puts back what there was, and is
// called by the same goroutine.
func Mark(key, value string) (unmark func()) {
	if !sound {
		return func() {}
	}
	before := get()
	put(before.with(key, value))
	return func() { put(before) }
}

// Value is the calling goroutine's label of that name, or that of the goroutine which started it.
func Value(key string) string {
	if !sound {
		return ""
	}
	s := get()
	if s == nil {
		return ""
	}
	for i := range s.list {
		if s.list[i].key == key {
			return s.list[i].value
		}
	}
	return ""
}

// with is a copy of s with a label more; s, which other goroutines hold, stays. The labels are in
// order, as runtime/pprof has them.
func (s *set) with(key, value string) *set {
	made := &set{}
	if s != nil {
		made.list = make([]label, 0, len(s.list)+1)
		for _, l := range s.list {
			if l.key != key {
				made.list = append(made.list, l)
			}
		}
	}
	if value != "" {
		at, _ := slices.BinarySearchFunc(made.list, key, func(l label, key string) int { return strings.Compare(l.key, key) })
		made.list = slices.Insert(made.list, at, label{key, value})
	}
	return made
}
