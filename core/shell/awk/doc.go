// Package awk interprets the POSIX awk language as far as one-liners and small scripts use it:
// everything but commands (system, "cmd" | getline, print | "cmd").
//
// It may import core/shell/regex and the standard library. It must never loop without asking its context.
package awk
