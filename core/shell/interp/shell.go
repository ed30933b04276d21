package interp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// Shell is one shell execution environment. It is not safe for concurrent use.
type Shell struct {
	p     *program.Process
	base  context.Context // of background jobs: they outlive the line that started them
	ctx   context.Context // of what runs now; yields
	outer context.Context // plain without what a signal cancels
	plain context.Context // ctx without yielding, for those who only wait for its end
	name  string          // $0
	file  string          // the script, for error messages; "" otherwise

	params  []string
	scope   *scope
	funcs   map[string]*syntax.Stmt
	aliases map[string]string
	opts    options
	shopts  shoptOptions
	dir     string
	fds     [maxFD]stream
	streams [3]stream // fds as the shell was given them: what a terminal is
	traps   map[string]string
	jobs    *jobs
	signals *signals
	config  *expand.Config
	targets []*syntax.ParamExp // elements that arithmetic sets, until the expansion ends
	kept    *program.Memory    // variables, functions, aliases, traps
	flight  *program.Memory    // what expansions and commands hold while they last
	// What is drawn for them from kept, in bytes; not for what a parent has drawn already.
	funcSizes  map[string]int
	paramsSize int

	status    int  // $?
	substatus int  // of the last command substitution
	lastJob   int  // $!
	breaks    int  // loops to leave
	continues int  // loops to leave but for the last, which goes on
	loops     int  // loops that we are in
	calls     int  // functions that we are in
	nest      int  // commands that we are in
	sources   int  // sourced files that we are in
	set       bool // the parameters were set, by set
	returning bool
	exiting   bool
	condition bool // in a condition, where errexit does not count
	trapping  bool
	inAlias   []string
	optIndex  int      // OPTIND as getopts left it
	optOffset int      // of getopts in its current word
	numbers   rand.PCG // those of $RANDOM
	seeded    bool
	dirStack  []string
	subshell  bool // traps do not run in it on exit
	// substitutes are those of <(…) and >(…) that commands which run have.
	substitutes []substitute
	standalone  bool // may hand its process over to its last command
}

// maxCalls bounds the depth of function calls, sourced files and eval, whose recursion would
// otherwise overflow the stack of the whole program.
const maxCalls = 500

// New returns a shell for the process p, with its variables from p.Env. Jobs in the
// background end with base. p.Table is made if it is nil.
func New(base context.Context, p *program.Process) *Shell {
	own := *p
	if own.Table == nil {
		own.Table = program.NewTable()
		if len(own.Args) == 0 {
			own.Args = []string{"sh"}
		}
		own.Table.Adopt(&own)
	}
	if own.Lookup == nil {
		own.Lookup = func(string) (program.Program, bool) { return nil, false }
	}
	s := &Shell{
		p: &own, base: base, ctx: base, outer: base, plain: base, name: "sh", dir: own.Dir,
		scope: newScope(nil), funcs: map[string]*syntax.Stmt{}, aliases: map[string]string{},
		traps: map[string]string{}, jobs: &jobs{}, signals: newSignals(),
	}
	if s.dir == "" {
		s.dir = "/"
	}
	s.shopts[shoptExpandAliases] = true // as in ash
	s.hold()
	s.importEnv()
	s.Attach(p.Stdin, p.Stdout, p.Stderr, p.Terminal, p.Signals)
	s.configure()
	return s
}

// Attach gives the shell other standard streams, before the next Run.
func (s *Shell) Attach(in io.Reader, out, err io.Writer, terminal program.Terminal, sig <-chan program.Signal) {
	s.p.Terminal, s.p.Signals = terminal, sig
	s.p.Stdin, s.p.Stdout, s.p.Stderr = in, out, err
	s.fds = [maxFD]stream{0: inputStream(in), 1: outputStream(out), 2: outputStream(err)}
	copy(s.streams[:], s.fds[:3])
}

// SetName sets $0; file says that it is a script's path, by which errors are told.
func (s *Shell) SetName(name string, file bool) {
	s.name = name
	if file {
		s.file = name
	}
}

// SetParams sets the positional parameters $1, $2 ….
func (s *Shell) SetParams(params ...string) { s.setParams(params) }

// setParams keeps the positional parameters.
func (s *Shell) setParams(params []string) {
	size := sizeOfList(params)
	_ = s.kept.Grow(size - s.paramsSize)
	s.params, s.paramsSize = params, size
}

// Run parses src and runs it, and returns $?. With Exited the shell has been asked to end;
// its EXIT trap has then run.
func (s *Shell) Run(ctx context.Context, src string) int {
	return s.RunReader(ctx, strings.NewReader(src))
}

// RunInput is Run of what standard input holds: it is read line by line and no further, so
// that a command may read the rest.
func (s *Shell) RunInput(ctx context.Context) int {
	return s.RunReader(ctx, lineByLine{s.fds[0].reader(ctx)})
}

// RunReader runs the commands in r one by one as they are read.
func (s *Shell) RunReader(ctx context.Context, r io.Reader) int {
	stop := s.begin(ctx)
	defer stop()
	src := s.newScript(r)
	defer src.held.Free()
	err := statements(src, func(stmt *syntax.Stmt) bool {
		s.guard(func() { s.stmt(stmt) })
		_ = src.held.Set(0) // functions have been kept
		return !s.exiting && !s.stopped()
	})
	if err != nil && !s.exiting && s.ctx.Err() == nil {
		s.errorf("%s", parseError(err))
		s.status = 2
		s.exiting = s.file != "" || s.p.Terminal == nil
	}
	s.stopped() // a signal's trap that is still due
	return s.finish()
}

// End runs the EXIT trap if it has not run, and returns the exit code; the last call.
func (s *Shell) End(ctx context.Context) int {
	stop := s.begin(ctx)
	defer stop()
	defer s.free()
	s.exiting = true
	return s.finish()
}

// finish runs the EXIT trap of a shell that ends, and tells a signal's exit code.
func (s *Shell) finish() int {
	killed, isKilled := errors.AsType[program.Killed](context.Cause(s.plain))
	if isKilled {
		s.status = 128 + int(killed.Signal)
		s.ctx, s.plain = program.Yield(s.outer), s.outer // for the trap
	}
	if s.exiting || s.ctx.Err() != nil {
		s.guard(s.exitTrap)
	}
	return s.status
}

// begin sets the context of a run and listens to signals until stop.
func (s *Shell) begin(ctx context.Context) (stop func()) {
	s.outer = ctx
	ctx, cancel := context.WithCancelCause(ctx)
	s.ctx, s.plain = program.Yield(ctx), ctx
	s.exiting, s.returning, s.breaks, s.continues, s.nest = false, false, 0, 0, 0
	quiet := s.signals.listen(s.p, cancel)
	return func() {
		quiet()
		cancel(nil)
	}
}

// guard runs f; a panic in it, which would be a defect, is printed and ends the command only.
func (s *Shell) guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.errorf("internal error: %v\n%s", r, debug.Stack())
			s.status = 2
		}
	}()
	f()
}

// Exited tells whether the last Run asked the shell to end (exit, set -e).
func (s *Shell) Exited() bool { return s.exiting }

// Status is $?.
func (s *Shell) Status() int { return s.status }

// Dir is the working directory.
func (s *Shell) Dir() string { return s.dir }

// Getenv gives a variable's value, exported or not.
func (s *Shell) Getenv(name string) string { return s.lookup(name).String() }

// Setenv sets and exports a variable.
func (s *Shell) Setenv(name, value string) {
	s.scope.put(name, expand.Variable{Set: true, Exported: true, Kind: expand.String, Str: value})
}

// Alias defines an alias.
func (s *Shell) Alias(name, value string) {
	_ = s.kept.Grow(len(value) + program.StringMemory)
	s.aliases[name] = value
}

// Words gives the names that can stand first in a command and are known to the shell itself:
// builtins, functions, aliases and keywords. For completion.
func (s *Shell) Words() []string {
	words := slices.Collect(maps.Keys(builtins))
	words = slices.AppendSeq(words, maps.Keys(s.funcs))
	words = slices.AppendSeq(words, maps.Keys(s.aliases))
	return append(words, "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done",
		"case", "esac", "in", "function", "export", "readonly", "local")
}

// Incomplete tells whether src is the beginning of a command that goes on on the next line.
func Incomplete(src string) bool {
	if strings.HasSuffix(src, "\\\n") {
		return true
	}
	_, err := syntax.NewParser().Parse(&shallow{r: strings.NewReader(src)}, "")
	return err != nil && syntax.IsIncomplete(err)
}

// clone makes a subshell environment.
func (s *Shell) clone() *Shell {
	c := *s
	own := *s.p
	c.p = &own
	c.scope = s.scope.clone()
	c.funcs = maps.Clone(s.funcs)
	c.aliases = maps.Clone(s.aliases)
	c.params, c.dirStack = slices.Clone(s.params), slices.Clone(s.dirStack)
	c.jobs = &jobs{}
	c.traps = map[string]string{}
	for name, action := range s.traps {
		if action == "" {
			c.traps[name] = "" // POSIX: what is ignored stays ignored
		}
	}
	c.hold()
	c.subshell, c.substitutes = true, nil
	c.exiting, c.returning, c.trapping, c.standalone = false, false, false, false
	c.configure()
	return &c
}

// errorf prints an error as shells do: "sh: line 3: what".
func (s *Shell) errorf(format string, args ...any) {
	fmt.Fprintf(s.stderr(), "%s: %s\n", s.name, fmt.Sprintf(format, args...))
}

func parseError(err error) string {
	if pe, ok := errors.AsType[syntax.ParseError](err); ok {
		return fmt.Sprintf("syntax error: line %d: %s", pe.Pos.Line(), pe.Text)
	}
	if le, ok := errors.AsType[syntax.LangError](err); ok {
		return fmt.Sprintf("syntax error: %s", le.Error())
	}
	return fmt.Sprintf("syntax error: %v", err)
}

// lineByLine keeps the parser from reading further than to the end of a line.
type lineByLine struct{ r io.Reader }

func (l lineByLine) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k, err := l.r.Read(p[n : n+1])
		n += k
		if err != nil {
			return n, err
		}
		if k > 0 && p[n-1] == '\n' {
			return n, nil
		}
	}
	return n, nil
}
