package interp

import (
	"fmt"
	"io"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// expanding has mvdan.cc/sh expand something. A panic of it about what a script has written is the
// script's error, as any other that it returns: the shell says so in a line and goes on with what
// follows such an error. What it calls of ours has a guard of its own (commandSubstitution).
func expanding[T any](expansion func() (T, error)) (result T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("this cannot be expanded (mvdan.cc/sh: %v)", r)
		}
	}()
	return expansion()
}

// statements hands those of a script to run as they are read, until that says no. A range over StmtsSeq, as in
// Parser.Stmts, ends in a panic at a syntax error: it is told of one twice.
func statements(r io.Reader, run func(*syntax.Stmt) bool) (err error) {
	ended := false
	syntax.NewParser().StmtsSeq(r)(func(stmt *syntax.Stmt, fault error) bool {
		if !ended {
			err = fault
			ended = fault != nil || !run(stmt)
		}
		return !ended
	})
	return err
}

// format is printf's; used is how many arguments it has taken.
func (s *Shell) format(format string, args []string) (text string, used int, err error) {
	text, err = expanding(func() (text string, err error) {
		text, used, err = expand.Format(s.config, format, args)
		return text, err
	})
	return text, used, err
}
