package kubectl

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
	"github.com/tabernetes/tabernetes/core/shell/interp"
)

// Streams are the standard streams of one line. Terminal and Signals are nil unless a person
// sits at it; a program.SIGINT on Signals ends the foreground commands.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       program.Terminal
	Signals        <-chan program.Signal
}

// Session is one shell: its variables, functions, aliases, working directory and jobs. One
// line runs at a time; other sessions are not disturbed.
type Session struct {
	terminal *Terminal
	running  sync.Mutex
	shell    *interp.Shell
	input    io.Reader // the last line's, and
	shared   *program.Input
}

// A shell's exit codes for what SIGINT ended and for what it does not find (POSIX, 2.8.2).
const (
	interrupted = 128 + int(program.SIGINT)
	notFound    = 127
)

// Run runs one line (or a whole script: newlines and here-documents are read as a shell does)
// and returns its exit code; 130 if ctx was cancelled or SIGINT came. After `exit` the session
// begins anew.
func (s *Session) Run(ctx context.Context, line string, streams Streams) int {
	s.running.Lock()
	defer s.running.Unlock()
	sh := s.open()
	sh.Attach(s.stdin(streams.Stdin), locked(streams.Stdout), locked(streams.Stderr), streams.Terminal, streams.Signals)
	sh.SetOption("interactive", streams.Terminal != nil)
	if streams.Terminal != nil {
		sh.ReportJobs()
	}
	code := sh.Run(ctx, line)
	if sh.Exited() {
		s.shell = nil
	}
	if ctx.Err() != nil {
		return interrupted
	}
	return code
}

// Exec runs one program with the arguments as they are, without a shell: for what is put together
// from names that others chose. args[0] is the program's name. It gives the exit code as Run does.
func (s *Session) Exec(ctx context.Context, args []string, streams Streams) int {
	s.running.Lock()
	defer s.running.Unlock()
	stderr := locked(streams.Stderr)
	prog, ok := s.terminal.lookup(args[0])
	if !ok {
		fmt.Fprintf(stderr, "%q is no program of this terminal\n", args[0])
		return notFound
	}
	p := s.process()
	p.Args, p.Dir = args, s.open().Dir()
	p.Stdin, p.Stdout, p.Stderr = s.stdin(streams.Stdin), locked(streams.Stdout), stderr
	p.Terminal, p.Signals = streams.Terminal, streams.Signals
	code := prog(ctx, p)
	if ctx.Err() != nil {
		return interrupted
	}
	return code
}

// stdin makes r cancellable. Lines that have one reader share what one of them had asked for
// when it ended.
func (s *Session) stdin(r io.Reader) io.Reader {
	if r == nil || !reflect.TypeOf(r).Comparable() {
		return r
	}
	if r != s.input {
		s.input, s.shared = r, program.NewInput(r)
	}
	return s.shared.Reader(context.Background())
}

// Prompt is what stands before the line that is to be typed next.
func (s *Session) Prompt() string {
	s.running.Lock()
	defer s.running.Unlock()
	return shell.Prompt(s.open().Getenv("PS1"), s.open(), s.terminal.opts.Hostname)
}

// Incomplete tells whether text is the beginning of a command that goes on on the next line.
func (s *Session) Incomplete(text string) bool { return interp.Incomplete(text) }

// open gives the session's shell; running is held.
func (s *Session) open() *interp.Shell {
	if s.shell != nil {
		return s.shell
	}
	s.shell = interp.New(context.Background(), s.process())
	s.shell.Alias("k", "kubectl")
	return s.shell
}

// process is what a session's programs have in common.
func (s *Session) process() *program.Process {
	o := s.terminal.opts
	return &program.Process{
		Env: []string{
			"HOME=" + o.Home, "USER=root", "LOGNAME=root", "SHELL=/bin/sh", "TERM=xterm-256color",
			"LANG=C.UTF-8", "HOSTNAME=" + o.Hostname, "PATH=/usr/local/bin:/usr/bin:/bin",
		},
		Dir:      o.Home,
		FS:       o.FS,
		Net:      o.Net,
		Hostname: o.Hostname,
		Lookup:   s.terminal.lookup,
	}
}

// locked makes a writer safe for the commands of a pipeline, which write side by side.
func locked(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return &lockedWriter{w: w}
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
