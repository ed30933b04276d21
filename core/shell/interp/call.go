package interp

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// call runs a simple command: assignments, an alias, a function, a builtin or a program.
func (s *Shell) call(cmd *syntax.CallExpr) {
	if s.alias(cmd) {
		return
	}
	s.substatus = 0
	defer s.while(0)()
	args := s.fields(cmd.Args...)
	_ = s.flight.Grow(sizeOfList(args))
	if s.leaving() || s.ctx.Err() != nil {
		return
	}
	if len(args) == 0 {
		s.status = 0
		for _, as := range cmd.Assigns {
			s.assignment(as)
			if s.leaving() || s.status != 0 {
				return
			}
			s.trace(as.Name.Value + "=" + s.lookup(as.Name.Value).String())
		}
		s.status = s.substatus
		return
	}
	// VAR=value command: for the command only; for special builtins POSIX lets it stay.
	var saved map[string]*expand.Variable
	for _, as := range cmd.Assigns {
		name, _ := s.resolve(as.Name.Value)
		if saved == nil {
			saved = map[string]*expand.Variable{}
		}
		if _, ok := saved[name]; !ok {
			saved[name] = nil
			if in := s.scope.find(name); in != nil {
				v := in.vars[name]
				saved[name] = &v
			}
		}
		s.scope.put(name, expand.Variable{Str: s.scope.get(name).Str, Kind: expand.String, ReadOnly: s.scope.get(name).ReadOnly})
		s.assignment(as)
		if v := s.scope.get(name); v.IsSet() && !s.leaving() {
			v.Exported = true
			s.scope.put(name, v)
		}
	}
	if !s.leaving() {
		s.trace(args...)
		s.run(args)
	}
	if args[0] == "exec" || args[0] == ":" && len(cmd.Assigns) > 0 && s.opts[optInteractive] {
		return
	}
	for name, v := range saved {
		if in := s.scope.find(name); v != nil {
			s.scope.put(name, *v)
		} else if in != nil {
			in.remove(name)
		}
	}
}

// run runs a command that is expanded already.
func (s *Shell) run(args []string) {
	name := args[0]
	if body, ok := s.funcs[name]; ok {
		s.function(body, args[1:])
		return
	}
	s.runPlain(args)
}

// runPlain is run without functions, as the builtin command has it.
func (s *Shell) runPlain(args []string) {
	if builtin, ok := builtins[args[0]]; ok {
		s.status = builtin(s, args)
		return
	}
	s.program(args)
}

func (s *Shell) function(body *syntax.Stmt, params []string) {
	if s.calls+s.sources >= maxCalls {
		s.fail(2, "functions are nested too deeply")
		s.exiting = true
		return
	}
	savedParams, savedLoops := s.params, s.loops
	s.params, s.loops = params, 0 // held by call
	s.scope = newScope(s.scope)
	s.calls++
	s.stmt(body)
	s.calls--
	s.scope = s.scope.leave()
	s.params, s.loops = savedParams, savedLoops
	s.returning = false
}

// alias runs cmd with its first word replaced, if that is an alias; false if it is not.
func (s *Shell) alias(cmd *syntax.CallExpr) bool {
	if len(s.aliases) == 0 || !s.shopts[shoptExpandAliases] || len(cmd.Args) == 0 {
		return false
	}
	name := cmd.Args[0].Lit()
	value, ok := s.aliases[name]
	if !ok || name == "" || slices.Contains(s.inAlias, name) {
		return false
	}
	var text strings.Builder
	printer := syntax.NewPrinter()
	for _, as := range cmd.Assigns {
		_ = printer.Print(&text, &syntax.CallExpr{Assigns: []*syntax.Assign{as}})
		text.WriteByte(' ')
	}
	text.WriteString(value)
	rest := cmd.Args[1:]
	if strings.HasSuffix(value, " ") && len(rest) > 0 { // POSIX: the next word too
		if next, ok := s.aliases[rest[0].Lit()]; ok {
			text.WriteString(next)
			rest = rest[1:]
		}
	}
	for _, word := range rest {
		text.WriteByte(' ')
		_ = printer.Print(&text, word)
	}
	s.inAlias = append(s.inAlias, name)
	s.eval(text.String())
	s.inAlias = s.inAlias[:len(s.inAlias)-1]
	return true
}

// eval runs text as if it stood here.
func (s *Shell) eval(text string) {
	s.source(strings.NewReader(text))
}

// trace prints a command under set -x.
func (s *Shell) trace(words ...string) {
	if !s.opts[optXTrace] {
		return
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	fprintf(s.stderr(), "%s%s\n", s.lookup("PS4").String(), strings.Join(quoted, " "))
}

// quote gives word as the shell would read it.
func quote(word string) string {
	if q, err := syntax.Quote(word, syntax.LangBash); err == nil {
		return q
	}
	return word
}
