package interp

import (
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// assignment performs name=value, name[index]=value or name=(…).
func (s *Shell) assignment(as *syntax.Assign) {
	name, prev := s.resolve(as.Name.Value)
	defer s.while(0)()
	err := errReadOnly
	if !prev.ReadOnly {
		v, ok := s.assigned(name, as)
		if !ok || s.leaving() {
			return
		}
		err = s.assign(name, v)
	}
	if err != nil {
		s.fail(2, "%s: %v", name, err)
		s.exiting = !s.opts[optInteractive] // POSIX: a variable assignment error
	}
}

// resolve is the variable that a name means, and its name, which is another one's where it is a reference.
func (s *Shell) resolve(name string) (string, expand.Variable) {
	v := s.scope.get(name)
	if target, v := v.Resolve(env{s}); target != "" {
		return target, v
	}
	return name, v
}

// assigned is what an assignment gives a variable; false if the assignment failed. The elements of an array are
// those of the variable itself, which no other variable shares: a copy for each would take a script that sets many
// a time that is their square.
func (s *Shell) assigned(name string, as *syntax.Assign) (v expand.Variable, ok bool) {
	if as.Array != nil {
		v = s.arrayValue(s.scope.get(name), as)
		v.Set = true
		return v, true
	}
	text := s.literal(as.Value)
	switch v = s.scope.get(name); {
	case as.Index != nil || v.Kind == expand.Indexed || v.Kind == expand.Associative:
		return s.element(v, as.Index, text, as.Append)
	case as.Append:
		text = s.joined(v.Str, text)
	}
	v.Set, v.Kind, v.Str = true, expand.String, text
	return v, true
}

// joined is what += makes, which is drawn for as long as the command lasts.
func (s *Shell) joined(text, more string) string {
	if s.flight.Grow(len(text)+len(more)) != nil {
		return "" // the container is being killed
	}
	return text + more
}
