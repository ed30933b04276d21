// Package console thins out what the components log, for the browser's console: each entry there is
// a call out of the program, which costs more than most of the work it tells of.
//
// It may import the standard library and golang.org/x/time.
package console
