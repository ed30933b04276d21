package template

import (
	"reflect"
	_ "unsafe" // for go:linkname
)

// methodOf finds the method of a value that a template names; the zero Value if there is none.
//
// Upstream asks reflect for it. Where that is reachable, the linker has to keep every exported
// method of every type, as it cannot know what templates will say.
var methodOf = func(value reflect.Value, name string) reflect.Value { return reflect.Value{} }

// setMethodOf is called by wasm/goroot, before any template is executed.
//
//go:linkname setMethodOf
func setMethodOf(f func(value reflect.Value, name string) reflect.Value) { methodOf = f }
