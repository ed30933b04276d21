// Package gomodule reads a WebAssembly module that Go's linker made: its sections, what linear memory
// holds when it begins, and the tables that the runtime has of its functions, which are there
// without a name section, too. It knows the tables of Go 1.26 (runtime/symtab.go, internal/abi), and
// refuses others.
//
// It may import the standard library only, and is for tools of the build.
package gomodule
