package program

import (
	"context"
	"io"
)

// Program runs to completion and returns its exit code, as main does. It returns soon after
// ctx is done (SIGKILL); a Signal on Process.Signals asks it to end by itself first (SIGTERM).
// A program never spins without reaching a yielding point: js/wasm has no preemption (see Yield).
type Program func(ctx context.Context, p *Process) int

// Signal is a POSIX signal by number: 15 is SIGTERM, 2 is SIGINT.
type Signal int

// The signals that a runtime or a terminal sends.
const (
	SIGHUP  Signal = 1
	SIGINT  Signal = 2
	SIGQUIT Signal = 3
	SIGKILL Signal = 9
	SIGTERM Signal = 15
)

// Process is everything that a running program sees of the world.
type Process struct {
	// Args is argv: Args[0] is the name by which the program was called.
	Args []string
	// Env holds KEY=value pairs.
	Env []string
	// Dir is the absolute working directory, in FS.
	Dir string

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	FS       *FS
	Net      Network
	Hostname string

	// Terminal is nil unless the standard streams are a terminal.
	Terminal Terminal
	// Signals delivers what was sent to this process; nil if nothing can be sent.
	Signals <-chan Signal
	// Lookup finds a program by name or absolute path, as the PATH does.
	Lookup func(name string) (Program, bool)
}

// Terminal is the terminal behind the standard streams.
type Terminal interface {
	// Size is the window size in character cells.
	Size() (cols, rows int)
	// Raw switches between keystrokes one by one (true) and whole edited lines (false).
	Raw(on bool)
	// Resized is signalled (never closed) after the window changed its size.
	Resized() <-chan struct{}
}

// Child returns a copy of p that runs args, with everything else inherited.
func (p *Process) Child(args ...string) *Process {
	c := *p
	c.Args = args
	return &c
}
