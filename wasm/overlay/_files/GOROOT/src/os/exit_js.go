//go:build js && wasm

package os

import _ "unsafe" // for go:linkname

// exitHook, when set, is asked by Exit before the program ends; it may not return.
var exitHook func(code int)

// setExitHook is called by package wasm/goroot of Tabernetes.
//
//go:linkname setExitHook
func setExitHook(f func(code int)) { exitHook = f }
