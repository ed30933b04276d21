package interp

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func unset(s *Shell, args []string) int {
	vars, funcs, refs := true, true, false
	status := 0
	for _, name := range args[1:] {
		base, subscript, isElement := cutSubscript(name)
		switch {
		case name == "-v":
			funcs = false
		case name == "-f":
			vars = false
		case name == "-n":
			refs = true
		case name == "":
		case vars && isElement:
			status = max(status, s.unsetElement(base, subscript))
		case vars && s.scope.find(name) != nil:
			if !refs {
				name, _ = s.resolve(name)
			}
			if err := s.assign(name, expand.Variable{}); err != nil {
				s.errorf("unset: %s: %v", name, err)
				status = 1
			}
		case funcs:
			_ = s.kept.Grow(-s.funcSizes[name])
			delete(s.funcs, name)
			delete(s.funcSizes, name)
		}
	}
	return status
}

// cutSubscript takes name[subscript] apart.
func cutSubscript(text string) (name, subscript string, ok bool) {
	name, subscript, ok = strings.Cut(text, "[")
	if !ok || !syntax.ValidName(name) {
		return "", "", false
	}
	subscript, ok = strings.CutSuffix(subscript, "]")
	return name, subscript, ok
}

// unsetElement is unset 'name[subscript]'.
func (s *Shell) unsetElement(name, subscript string) int {
	name, v := s.resolve(name)
	if !v.IsSet() || subscript == "" {
		return 0
	}
	if v.ReadOnly {
		s.errorf("unset: %s: %v", name, errReadOnly)
		return 1
	}
	defer s.while(0)()
	whole := subscript == "@" || subscript == "*"
	switch {
	case v.Kind == expand.Associative:
		delete(v.Map, s.keyText(subscript))
	case v.Kind == expand.Indexed && whole:
		v.List, v.Indexes = []string{}, nil
	case v.Kind == expand.Indexed:
		i, ok := s.subscript(v, s.arithmeticText(subscript))
		if !ok || !s.take(&v, i) {
			return 1
		}
	case whole || s.arithmeticText(subscript) != 0:
		s.errorf("unset: %s: not an array variable", name)
		return 1
	default:
		v = expand.Variable{}
	}
	if err := s.assign(name, v); err != nil {
		s.errorf("unset: %s: %v", name, err)
		return 1
	}
	return 0
}

// keyText is the subscript of an associative array that stands in a text: bash expands it, so that
// unset 'm[$key]' is said for a key with any character.
func (s *Shell) keyText(subscript string) string {
	if n := len(subscript); n > 1 && subscript[0] == subscript[n-1] {
		switch subscript[0] {
		case '\'':
			return subscript[1 : n-1]
		case '"':
			subscript = subscript[1 : n-1]
		}
	}
	src := s.newScript(strings.NewReader(subscript))
	defer src.held.Free()
	word, err := syntax.NewParser().Document(src)
	if err != nil || word == nil {
		return subscript
	}
	text, err := expanding(func() (string, error) { return expand.Document(s.config, s.substitutions(word)) })
	s.expansionFailed(err)
	return text
}
