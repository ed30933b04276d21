package shell

import (
	"context"

	"github.com/tabernetes/tabernetes/core/program"
)

// Tools gives every program of this package by its name: the shell as sh and ash, and the
// small tools. The map is the caller's own.
func Tools() map[string]program.Program {
	return map[string]program.Program{"sh": Sh, "ash": Sh}
}

// Sh is the shell: `sh [-e…] [-c text [name]] [file] [argument…]`.
func Sh(ctx context.Context, p *program.Process) int {
	return 127
}
