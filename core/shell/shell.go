package shell

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/interp"
	"github.com/tabernetes/tabernetes/core/shell/tool"
)

// Tools gives every program of this package by its name: the shell as sh and ash, and the
// small tools. The map is the caller's own.
func Tools() map[string]program.Program {
	tools := maps.Clone(tool.All())
	tools["sh"], tools["ash"] = Sh, Sh
	for _, name := range []string{"echo", "printf", "test", "[", "true", "false", "pwd", "kill"} {
		tools[name] = program.DefaultSignals(interp.Builtin(name))
	}
	return tools
}
