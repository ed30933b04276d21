// Command trace prints the stack of a panic deep in calls, some of which the compiler inlines.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

type list[T any] struct{ each []T }

//go:noinline
func (l *list[T]) do(f func(T)) {
	for _, v := range l.each {
		f(v)
	}
}

func twice(n int, f func(int)) { once(n*2, f) }

func once(n int, f func(int)) { f(n) }

//go:noinline
func apart(n int, f func(int)) {
	if n < 0 {
		return
	}

	twice(n, f)
}

func main() {
	defer func() {
		fmt.Printf("%v\n%s", recover(), debug.Stack())
		_, file, line, ok := runtime.Caller(0)
		fmt.Fprintln(os.Stderr, file, line, ok)
	}()
	l := list[int]{[]int{1}}
	l.do(func(n int) {
		apart(n, func(n int) {
			var none []int
			_ = none[n]
		})
	})
}
