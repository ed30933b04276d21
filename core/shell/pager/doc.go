// Package pager shows a text on a terminal, a screen at a time, as less does.
//
// A text may be endless and hostile: it is read as far as it is looked at, a line is cut into pieces of
// a bounded size, and what is no printable character is shown as its name (see cells), so that nothing
// of it reaches the terminal as a command. With Options.Colors it may choose colours, and no more.
//
// It may import core/program, core/shell/line, core/shell/regex, golang.org/x/text/width and the standard library.
package pager
