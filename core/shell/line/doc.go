// Package line edits command lines on a terminal: emacs keys, history, completion.
//
// It may import core/program and the standard library. It must never know commands.
package line
