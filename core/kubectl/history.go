package kubectl

import (
	"context"

	"github.com/tabernetes/tabernetes/core/program"
)

// lookup finds the terminal's programs, and history, which is the session's own.
func (s *Session) lookup(name string) (program.Program, bool) {
	if name == "history" {
		return program.DefaultSignals(func(_ context.Context, p *program.Process) int { return s.typed.Main(p) }), true
	}
	return s.terminal.lookup(name)
}
