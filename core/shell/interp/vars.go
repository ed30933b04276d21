package interp

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// scope holds variables: the shell's own, and above it one for each function that runs.
type scope struct {
	parent *scope
	vars   map[string]expand.Variable
	kept   *program.Memory // that vars are drawn from
	sizes  map[string]int  // what is drawn for each, in bytes
}

func newScope(parent *scope) *scope {
	sc := &scope{parent: parent, vars: map[string]expand.Variable{}, sizes: map[string]int{}}
	if parent != nil {
		sc.kept = parent.kept
	}
	return sc
}

func (sc *scope) clone() *scope {
	if sc == nil {
		return nil
	}
	c := &scope{parent: sc.parent.clone(), vars: maps.Clone(sc.vars)}
	for name, v := range c.vars {
		v.List, v.Indexes, v.Map = slices.Clone(v.List), slices.Clone(v.Indexes), maps.Clone(v.Map)
		c.vars[name] = v
	}
	return c
}

// find gives the innermost scope that holds name.
func (sc *scope) find(name string) *scope {
	for ; sc != nil; sc = sc.parent {
		if _, ok := sc.vars[name]; ok {
			return sc
		}
	}
	return nil
}

func (sc *scope) get(name string) expand.Variable {
	if in := sc.find(name); in != nil {
		return in.vars[name]
	}
	return expand.Variable{}
}

// put sets a variable where it is, or as a global one.
func (sc *scope) put(name string, v expand.Variable) {
	in := sc.find(name)
	if in == nil {
		for in = sc; in.parent != nil; in = in.parent {
		}
	}
	in.set(name, v)
}

// set keeps a variable in this scope, if there is memory for it.
func (sc *scope) set(name string, v expand.Variable) {
	size := sizeOf(v) + program.StringMemory + len(name)
	if sc.kept.Grow(size-sc.sizes[name]) != nil {
		return // the container is being killed
	}
	sc.vars[name], sc.sizes[name] = v, size
}

// remove forgets a variable of this scope.
func (sc *scope) remove(name string) {
	_ = sc.kept.Grow(-sc.sizes[name])
	delete(sc.vars, name)
	delete(sc.sizes, name)
}

// leave is the scope above, after this one has been given back.
func (sc *scope) leave() *scope {
	for name := range sc.vars {
		sc.remove(name)
	}
	return sc.parent
}

// each calls f with each variable that can be seen, once.
func (sc *scope) each(f func(name string, v expand.Variable) bool) {
	seen := map[string]bool{}
	for ; sc != nil; sc = sc.parent {
		for _, name := range slices.Sorted(maps.Keys(sc.vars)) {
			if !seen[name] && !f(name, sc.vars[name]) {
				return
			}
			seen[name] = true
		}
	}
}

func (s *Shell) importEnv() {
	for _, kv := range s.p.Env {
		if name, value, ok := strings.Cut(kv, "="); ok && syntax.ValidName(name) {
			s.Setenv(name, value)
		}
	}
	set := func(name, value string) {
		s.scope.put(name, expand.Variable{Set: true, Kind: expand.String, Str: value})
	}
	set("IFS", " \t\n")
	set("OPTIND", "1")
	set("PS1", `\w $ `)
	set("PS2", "> ")
	set("PS4", "+ ")
	s.Setenv("PWD", s.dir)
	if !s.scope.get("PATH").IsSet() {
		set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	}
}

// environ gives the exported variables, for a program.
func (s *Shell) environ() []string {
	var env []string
	s.scope.each(func(name string, v expand.Variable) bool {
		if v.Exported && v.IsSet() && v.Kind == expand.String {
			env = append(env, name+"="+v.Str)
		}
		return true
	})
	for _, kv := range s.p.Env { // no variables of the shell's, but not its to take away
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" && !syntax.ValidName(name) {
			env = append(env, kv)
		}
	}
	return env
}

// lookup gives a variable or a special parameter.
func (s *Shell) lookup(name string) expand.Variable {
	str := func(value string) expand.Variable {
		return expand.Variable{Set: true, Kind: expand.String, Str: value}
	}
	switch name {
	case "":
		return expand.Variable{}
	case "#":
		return str(strconv.Itoa(len(s.params)))
	case "@", "*":
		return expand.Variable{Set: true, Kind: expand.Indexed, List: append([]string{}, s.params...)}
	case "?":
		return str(strconv.Itoa(s.status))
	case "$":
		return str(strconv.Itoa(max(s.p.PID, 1)))
	case "-":
		return str(s.opts.letters())
	case "!":
		if s.lastJob != 0 {
			return str(strconv.Itoa(s.lastJob))
		}
		return expand.Variable{}
	case "0":
		return str(s.name)
	case "PPID":
		return str("0")
	case "RANDOM":
		return str(s.random())
	case "LINENO":
		return str("1")
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n >= 1 && n <= len(s.params) {
			return str(s.params[n-1])
		}
		return expand.Variable{}
	}
	return s.scope.get(name)
}

var errReadOnly = errors.New("is read only")

// assign sets a variable, keeping that it is exported; nil if that is allowed.
func (s *Shell) assign(name string, v expand.Variable) error {
	prev := s.scope.get(name)
	if prev.ReadOnly {
		return errReadOnly
	}
	if v.Kind == expand.KeepValue {
		v.Kind, v.Str, v.List, v.Indexes, v.Map, v.Set = prev.Kind, prev.Str, prev.List, prev.Indexes, prev.Map, prev.Set
	}
	if s.opts[optAllExport] {
		v.Exported = true
	}
	if name == "RANDOM" {
		s.seed(v.Str)
	}
	if !v.Declared() {
		if in := s.scope.find(name); in != nil && in.parent != nil {
			in.set(name, expand.Variable{Local: true}) // stays local, without a value
		} else if in != nil {
			in.remove(name)
		}
		return nil
	}
	s.scope.put(name, v)
	return nil
}

// seed is RANDOM=number, after which $RANDOM gives the same numbers.
func (s *Shell) seed(number string) {
	n, err := strconv.ParseInt(number, 10, 64)
	if s.seeded = err == nil; s.seeded {
		s.numbers = *rand.NewPCG(uint64(n), 0)
	}
}

func (s *Shell) random() string {
	const most = 32768
	if s.seeded {
		return strconv.FormatUint(s.numbers.Uint64()%most, 10)
	}
	return strconv.Itoa(rand.IntN(most))
}

// setVar is assign of a string that prints what goes wrong.
func (s *Shell) setVar(name, value string) bool {
	v := s.scope.get(name)
	v.Set, v.Kind, v.Str, v.List, v.Indexes, v.Map = true, expand.String, value, nil, nil, nil
	if err := s.assign(name, v); err != nil {
		s.fail(2, "%s: %v", name, err)
		return false
	}
	return true
}

// env is the shell's variables as package expand asks for them.
type env struct{ s *Shell }

var _ expand.WriteEnviron = env{}

func (e env) Get(name string) expand.Variable {
	_ = e.s.ctx.Err() // yields: long expansions ask for variables again and again
	if pe := e.s.targeted(name); pe != nil {
		return e.s.targetValue(pe)
	}
	v := e.s.lookup(name)
	if e.s.flight.Grow(copies*sizeOf(v)) != nil {
		return expand.Variable{} // the container is being killed
	}
	return v
}

func (e env) Set(name string, v expand.Variable) error {
	if pe := e.s.targeted(name); pe != nil {
		return e.s.setTarget(pe, v.Str)
	}
	prev := e.s.scope.get(name)
	v.Exported = v.Exported || prev.Exported
	if err := e.s.assign(name, v); err != nil {
		e.s.fail(2, "%s: %v", name, err)
		return err
	}
	return nil
}

func (e env) Each(f func(name string, v expand.Variable) bool) { e.s.scope.each(f) }
