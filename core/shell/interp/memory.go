package interp

import (
	"errors"
	"io"
	"runtime"
	"strconv"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// What a shell holds is drawn from its container's cgroup (core/program), in two holders: kept
// for variables, functions and the like, and flight for what expansions and commands hold
// while they last, which is drawn before it is made. An error of either means that the
// container is being killed: the shell's context ends, so that nobody has to look at it.

const (
	// copies is how often the value of a variable stands in memory while it is expanded.
	copies = 2
	// sourceMemory is what a byte of a script takes as a syntax tree, in bytes.
	sourceMemory = 64
	// nestMemory is the stack of one command within another, in bytes; up to maxNest of them.
	nestMemory = 1 << 10
	maxNest    = 10_000
	// maxFrames is the depth of the stack at which a script is not read on: parsers recurse.
	maxFrames = 20_000
	// framesEvery is after how many bytes of a script the depth is looked at.
	framesEvery = 512
	// matchMemory is what one match of a pattern in a text takes.
	matchMemory = 40
	// patternMemory is what a byte of a pattern takes when it is compiled.
	patternMemory = 256
	// maxMatchWork bounds the instructions of a compiled pattern times the bytes of the text that
	// it is matched with: nothing else runs in the tab meanwhile, for some seconds at most.
	maxMatchWork = 1 << 25
	// maxJobs is how many ended jobs are remembered for wait (CHILD_MAX).
	maxJobs = 1024
)

var (
	errNested = errors.New("nested too deeply")
	errMatch  = errors.New("pattern and text are too long to be matched")
)

// sizeOf is what a variable takes, beside its name.
func sizeOf(v expand.Variable) int {
	size := 2*program.StringMemory + len(v.Str) + sizeOfList(v.List) + indexMemory*len(v.Indexes)
	for key, value := range v.Map {
		size += 2*program.StringMemory + len(key) + len(value)
	}
	return size
}

func sizeOfList(list []string) int {
	size := 0
	for _, text := range list {
		size += program.StringMemory + len(text)
	}
	return size
}

// hold makes the shell's holders, with what it has already: of a subshell that is all but the
// strings, which it shares with its parent.
func (s *Shell) hold() {
	s.kept, s.flight = s.p.Memory(), s.p.Memory()
	for sc := s.scope; sc != nil; sc = sc.parent {
		sc.kept, sc.sizes = s.kept, make(map[string]int, len(sc.vars))
		for name, v := range sc.vars {
			sc.sizes[name] = program.StringMemory*(2+len(v.List)+2*len(v.Map)) + indexMemory*len(v.Indexes)
			_ = s.kept.Grow(sc.sizes[name])
		}
	}
	s.paramsSize, s.funcSizes = program.StringMemory*len(s.params), map[string]int{}
	_ = s.kept.Grow(s.paramsSize)
}

// free gives back what the shell holds: at its end.
func (s *Shell) free() {
	s.kept.Free()
	s.flight.Free()
}

// while draws n bytes for as long as a command lasts; the returned function gives back, with all
// that was drawn since.
func (s *Shell) while(n int) (end func()) {
	mark, targets := s.flight.Held(), len(s.targets)
	_ = s.flight.Grow(n)
	return func() {
		_ = s.flight.Set(mark)
		s.targets = s.targets[:targets]
	}
}

// fork makes a subshell that is a process of its own; the error has been told. end gives back
// what it holds.
func (s *Shell) fork() (sub *Shell, end func(), ok bool) {
	exit, err := s.p.Cgroup.Fork()
	if err != nil {
		s.cannotFork(err)
		return nil, nil, false
	}
	sub = s.clone()
	return sub, func() {
		sub.free()
		exit()
	}, true
}

// cannotFork ends the shell, as in ash.
func (s *Shell) cannotFork(err error) {
	s.fail(2, "can't fork: %s", reason(err))
	s.exiting = !s.opts[optInteractive] || s.subshell
}

// nested counts a command within another; false if there are too many.
func (s *Shell) nested() bool {
	if s.nest++; s.nest > maxNest {
		s.fail(2, "%v", errNested)
		s.exiting = true
		return false
	}
	return true
}

// script is a script that is read: what is parsed of it is held, and it is not read on when the
// parser is too deep in it.
type script struct {
	shallow
	held *program.Memory
}

func (s *Shell) newScript(r io.Reader) *script {
	return &script{shallow: shallow{r: r}, held: s.p.Memory()}
}

func (sc *script) Read(p []byte) (int, error) {
	n, err := sc.shallow.Read(p)
	if memory := sc.held.Grow(n * sourceMemory); memory != nil {
		return 0, memory
	}
	return n, err
}

// shallow is text that a parser reads, which ends with errNested when the parser is too deep in it.
type shallow struct {
	r    io.Reader
	read int // bytes since the depth was looked at
}

func (s *shallow) Read(p []byte) (int, error) {
	if s.read >= framesEvery {
		s.read = 0
		if runtime.Callers(maxFrames, make([]uintptr, 1)) > 0 {
			return 0, errNested
		}
	}
	n, err := s.r.Read(p)
	s.read += n
	return n, err
}

// collected is the output of a command substitution.
type collected struct {
	mu   sync.Mutex // commands in the background may write, too
	w    io.Writer
	held *program.Memory
}

func (c *collected) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.held.Grow(copies * len(p)); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

func (s *Shell) sizeOfParam(pe *syntax.ParamExp) int {
	v := s.lookup(pe.Param.Value)
	_, v = v.Resolve(env{s})
	return sizeOf(v)
}

// formatMemory is what printf may make of a format and its arguments.
func formatMemory(format string, args []string) int {
	size := 4*len(format) + 4*sizeOfList(args)
	for i := 0; i < len(format); i++ {
		digits := i
		for digits < len(format) && format[digits] >= '0' && format[digits] <= '9' {
			digits++
		}
		if digits > i {
			if width, err := strconv.Atoi(format[i:digits]); err == nil {
				size += 2 * min(width, 1_000_000) // package fmt's largest
			}
			i = digits
		}
	}
	return size
}
