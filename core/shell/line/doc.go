// Package line is the terminal side of a shell: an editor of command lines with history and
// completion (Editor), and the line discipline that a kernel has between a terminal and its
// programs (TTY).
//
// It may import core/program and the standard library. It must never know commands.
package line
