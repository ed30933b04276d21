package jsx

import (
	"fmt"
	"log"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/hack-pad/safejs"
)

// retained counts, by name, the functions that JavaScript can call and Go has not released.
var retained = struct {
	sync.Mutex
	count map[string]int
}{count: map[string]int{}}

// Callback is a Go function that JavaScript can call.
type Callback struct {
	f    safejs.Func
	name string
}

// NewCallback makes f callable from JavaScript under a name that says what it is for. f must
// not block: JavaScript waits for it. A panic in f is logged and goes no further.
func NewCallback(name string, f func(args []Value)) (*Callback, error) {
	fn, err := safejs.FuncOf(func(_ Value, args []Value) any {
		defer func() {
			if r := recover(); r != nil {
				log.Printf("callback %s panicked: %v\n%s", name, r, debug.Stack())
			}
		}()
		f(args)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make callback %s: %w", name, err)
	}
	retained.Lock()
	defer retained.Unlock()
	retained.count[name]++
	return &Callback{fn, name}, nil
}

// Value is the function for JavaScript.
func (c *Callback) Value() Value { return c.f.Value() }

// Release gives the function up; JavaScript must not call it any more.
func (c *Callback) Release() {
	c.f.Release()
	retained.Lock()
	defer retained.Unlock()
	if retained.count[c.name]--; retained.count[c.name] == 0 {
		delete(retained.count, c.name)
	}
}

// Retained names the callbacks that are not released, sorted, each as often as it exists.
func Retained() []string {
	retained.Lock()
	defer retained.Unlock()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(retained.count)) {
		names = append(names, slices.Repeat([]string{name}, retained.count[name])...)
	}
	return names
}
