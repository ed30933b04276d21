package kubectl

import (
	"context"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/tabernetes/tabernetes/core/kubectl/command"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/interp"
	"github.com/tabernetes/tabernetes/core/shell/line"
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
	name     string
	refused  bool // one too many: it runs nothing
	running  sync.Mutex

	mu     sync.Mutex
	base   context.Context // of the shell and its jobs
	end    context.CancelFunc
	closed bool
	// What its shell holds, and whether that became too much; stopLine ends the line that runs.
	cgroup   *program.Cgroup
	exceeded bool
	stopLine context.CancelFunc
	// typed is what a person typed.
	typed line.History

	shell  *interp.Shell  // running is held
	input  io.Reader      // the last line's standard input; running is held
	shared *program.Input // input, made cancellable; running is held
}

// begin gives the session the life of a new shell.
func (s *Session) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		s.end()
	}
	if s.closed {
		return
	}
	s.base, s.end = context.WithCancel(context.Background())
	s.account()
}

func (s *Session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.end()
	s.cgroup.Close()
}

// lasting is a context that ends with the session, too. Where nothing can run any more, code is what
// to end with.
func (s *Session) lasting(ctx context.Context, stderr io.Writer) (_ context.Context, stop func(), code int) {
	if s.refused {
		fmt.Fprintf(stderr, "%d shells are open, which is the most there can be: close a terminal, or use the name of one session for several lines\n", maxSessions)
		return ctx, func() {}, 1
	}
	if s.outOfMemory() { // by a job, since the last line
		s.anew(stderr)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	base := s.base
	if base.Err() != nil {
		return ctx, func() {}, interrupted
	}
	ctx, cancel := context.WithCancel(s.cgroup.Context(command.InSession(ctx, s.name)))
	s.stopLine = cancel
	ended := context.AfterFunc(base, cancel)
	return ctx, func() { ended(); cancel() }, 0
}

// anew begins a new shell after one that was ended for its memory; it returns that one's exit code.
func (s *Session) anew(stderr io.Writer) (code int) {
	_, _ = io.WriteString(stderr, outgrown())
	s.shell = nil
	s.begin()
	return outOfMemory
}

// A shell's exit codes for what SIGINT ended, for what it does not find (POSIX, 2.8.2), and for
// what Linux would have killed.
const (
	interrupted = 128 + int(program.SIGINT)
	notFound    = 127
	outOfMemory = 128 + int(program.SIGKILL)
)

// Run runs one line (or a whole script: newlines and here-documents are read as a shell does)
// and returns its exit code; 130 if ctx was cancelled or SIGINT came. After `exit` the session
// begins anew, and after it held too much (137).
func (s *Session) Run(ctx context.Context, line string, streams Streams) int {
	s.running.Lock()
	defer s.running.Unlock()
	stderr := locked(streams.Stderr)
	ctx, stop, refused := s.lasting(ctx, stderr)
	if refused != 0 {
		return refused
	}
	defer stop()
	sh := s.open()
	sh.Attach(s.stdin(streams.Stdin), locked(streams.Stdout), stderr, streams.Terminal, streams.Signals)
	sh.SetOption("interactive", streams.Terminal != nil)
	if streams.Terminal != nil {
		s.typed.Remember(line)
		sh.ReportJobs()
	}
	code := sh.Run(ctx, line)
	if s.outOfMemory() {
		return s.anew(stderr)
	}
	if ctx.Err() != nil {
		code = interrupted
	}
	if sh.Exited() {
		s.shell = nil
		s.begin() // its jobs end with it: nothing else could end them
	}
	return code
}

// Exec runs one program with the arguments as they are, without a shell: for what is put together
// from names that others chose. args[0] is the program's name. It gives the exit code as Run does.
func (s *Session) Exec(ctx context.Context, args []string, streams Streams) int {
	s.running.Lock()
	defer s.running.Unlock()
	stderr := locked(streams.Stderr)
	ctx, stop, refused := s.lasting(ctx, stderr)
	if refused != 0 {
		return refused
	}
	defer stop()
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
	if s.outOfMemory() {
		return s.anew(stderr)
	}
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

// open gives the session's shell; running is held.
func (s *Session) open() *interp.Shell {
	if s.shell != nil {
		return s.shell
	}
	s.mu.Lock()
	base := s.cgroup.Context(s.base)
	s.mu.Unlock()
	s.shell = interp.New(base, s.process())
	s.shell.Alias("k", "kubectl")
	return s.shell
}

// process is what a session's programs have in common.
func (s *Session) process() *program.Process {
	o := s.terminal.opts
	s.mu.Lock()
	cgroup := s.cgroup
	s.mu.Unlock()
	return &program.Process{
		Cgroup: cgroup,
		Env: []string{
			"HOME=" + o.Home, "USER=root", "LOGNAME=root", "SHELL=/bin/sh", "TERM=xterm-256color",
			"LANG=C.UTF-8", "HOSTNAME=" + o.Hostname, "PATH=/usr/local/bin:/usr/bin:/bin",
		},
		Dir:      o.Home,
		FS:       o.FS,
		Net:      o.Net,
		Hostname: o.Hostname,
		Lookup:   s.lookup,
		Absent:   func(name string) bool { return notHere[name] != "" },
		Meant:    s.terminal.meant,
		Programs: append(slices.Collect(maps.Keys(s.terminal.programs)), "history"),
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
