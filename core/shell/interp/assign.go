package interp

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxIndex bounds array indexes, as arrays are dense.
const maxIndex = 1 << 20

// assignment performs name=value, name[index]=value or name=(…).
func (s *Shell) assignment(as *syntax.Assign, value func(prev expand.Variable, as *syntax.Assign) expand.Variable) {
	name := as.Name.Value
	prev := s.scope.get(name)
	if target, v := prev.Resolve(env{s}); target != "" {
		name, prev = target, v
	}
	defer s.while(0)()
	v := value(prev, as)
	if s.leaving() {
		return
	}
	if as.Index != nil || v.Kind == expand.String && as.Array == nil && (prev.Kind == expand.Indexed || prev.Kind == expand.Associative) {
		var ok bool
		if v, ok = s.element(prev, as.Index, v.Str); !ok {
			return
		}
	}
	if err := s.assign(name, v); err != nil {
		s.fail(2, "%s: %v", name, err)
		s.exiting = !s.opts[optInteractive] // POSIX: a variable assignment error
	}
}

// element is prev with its element at index set.
func (s *Shell) element(prev expand.Variable, index syntax.ArithmExpr, value string) (expand.Variable, bool) {
	prev.Set = true
	if prev.Kind == expand.Associative {
		prev.Map = maps.Clone(prev.Map)
		if prev.Map == nil {
			prev.Map = map[string]string{}
		}
		key := "0"
		if word, ok := index.(*syntax.Word); ok {
			key = s.literal(word)
		}
		prev.Map[key] = value
		return prev, true
	}
	i := 0
	if index != nil {
		i = s.arithmetic(index)
	}
	list := slices.Clone(prev.List)
	if prev.Kind == expand.String {
		list = []string{prev.Str}
	}
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i > maxIndex {
		s.fail(1, "%d: bad array subscript", i)
		return prev, false
	}
	for len(list) <= i {
		list = append(list, "")
	}
	list[i] = value
	prev.Kind, prev.List, prev.Str = expand.Indexed, list, ""
	return prev, true
}

// assignValue is what an assignment gives a variable that was prev.
func (s *Shell) assignValue(prev expand.Variable, as *syntax.Assign) expand.Variable {
	declared := prev.Set
	prev.Set = true
	if as.Array != nil {
		return s.arrayValue(prev, as, declared)
	}
	text := s.literal(as.Value)
	if !as.Append {
		prev.Kind, prev.Str = expand.String, text
		return prev
	}
	if as.Index != nil {
		if word, ok := as.Index.(*syntax.Word); ok && prev.Kind == expand.Associative {
			prev.Str = prev.Map[s.literal(word)] + text
		} else if i := s.arithmetic(as.Index); i >= 0 && i < len(prev.List) {
			prev.Str = prev.List[i] + text
		} else {
			prev.Str = text
		}
		return prev
	}
	if prev.Kind == expand.Indexed {
		prev.List = slices.Clone(prev.List)
		if len(prev.List) == 0 {
			prev.List = []string{""}
		}
		prev.Str = prev.List[0] + text
		prev.List[0] = prev.Str
		return prev
	}
	prev.Kind, prev.Str = expand.String, prev.Str+text
	return prev
}

func (s *Shell) arrayValue(prev expand.Variable, as *syntax.Assign, declared bool) expand.Variable {
	elems := as.Array.Elems
	if prev.Kind == expand.Associative || len(elems) > 0 && quotedIndex(elems[0].Index) {
		m := map[string]string{}
		if as.Append {
			maps.Copy(m, prev.Map)
		}
		for _, elem := range elems {
			if word, ok := elem.Index.(*syntax.Word); ok {
				m[s.literal(word)] = s.literal(elem.Value)
			}
		}
		prev.Kind, prev.Map = expand.Associative, m
		return prev
	}
	var list []string
	if as.Append {
		list = slices.Clone(prev.List)
		if prev.Kind == expand.String && declared {
			list = []string{prev.Str}
		}
	}
	for _, elem := range elems {
		if elem.Index == nil {
			list = append(list, s.fields(elem.Value)...)
			continue
		}
		if v, ok := s.element(expand.Variable{Kind: expand.Indexed, List: list}, elem.Index, s.literal(elem.Value)); ok {
			list = v.List
		}
	}
	prev.Kind, prev.List, prev.Str = expand.Indexed, list, ""
	if prev.List == nil {
		prev.List = []string{}
	}
	return prev
}

// quotedIndex tells ["key"] from [0].
func quotedIndex(index syntax.ArithmExpr) bool {
	word, ok := index.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return false
	}
	switch word.Parts[0].(type) {
	case *syntax.DblQuoted, *syntax.SglQuoted:
		return true
	}
	return false
}

// declare is export, readonly, local, declare, typeset and nameref.
func (s *Shell) declare(cmd *syntax.DeclClause) {
	s.status = 0
	variant := cmd.Variant.Value
	if variant == "local" && s.calls == 0 {
		s.fail(1, "local: not in a function")
		return
	}
	d := declaration{
		export: variant == "export", readonly: variant == "readonly", nameref: variant == "nameref",
		local: s.calls > 0 && variant != "export" && variant != "readonly" && variant != "nameref",
	}
	named := false
	for _, as := range s.declared(cmd.Args) {
		name := as.Name.Value
		if as.Naked && len(name) > 1 && (name[0] == '-' || name[0] == '+') {
			for _, letter := range name[1:] {
				if !d.option(letter, name[0] == '-') {
					s.fail(2, "%s: illegal option -%c", variant, letter)
					return
				}
			}
			continue
		}
		if !syntax.ValidName(name) {
			s.fail(2, "%s: %s: bad variable name", variant, name)
			return
		}
		named = true
		s.declareOne(d, as)
	}
	if !named {
		s.printDeclared(d, variant)
	}
}

type declaration struct {
	export, unexport, readonly, local, nameref, indexed, assoc bool
}

func (d *declaration) option(letter rune, on bool) bool {
	switch letter {
	case 'x':
		d.export, d.unexport = on, !on
	case 'r':
		d.readonly = on
	case 'a':
		d.indexed = on
	case 'A':
		d.assoc = on
	case 'g':
		d.local = !on
	case 'n':
		d.nameref = on
		d.unexport = d.unexport || d.export // export -n
	case 'i', 'p', 'f', 'F', 'l', 'u', 't':
	default:
		return false
	}
	return true
}

func (s *Shell) declareOne(d declaration, as *syntax.Assign) {
	name := as.Name.Value
	if d.local {
		if _, ok := s.scope.vars[name]; !ok {
			prev := s.scope.get(name)
			if prev.ReadOnly {
				s.fail(2, "%s: %v", name, errReadOnly)
				return
			}
			s.scope.set(name, expand.Variable{Local: true, Exported: prev.Exported})
		}
	}
	v := s.scope.get(name)
	if d.assoc && v.Kind != expand.Associative {
		v.Kind, v.Map = expand.Associative, map[string]string{}
		s.scope.put(name, v)
	} else if d.indexed && !v.IsSet() {
		v.Kind = expand.Indexed
		s.scope.put(name, v)
	}
	if !as.Naked {
		if d.nameref {
			_ = s.assign(name, expand.Variable{Set: true, Kind: expand.NameRef, Str: s.literal(as.Value)})
			return
		}
		s.assignment(as, s.assignValue)
		if s.leaving() || s.status != 0 {
			return
		}
	}
	v = s.scope.get(name)
	v.Exported = (v.Exported || d.export) && !d.unexport
	v.ReadOnly = v.ReadOnly || d.readonly
	if v.Kind == expand.Unknown {
		v.Kind = expand.String
	}
	s.scope.put(name, v)
}

// declared expands those arguments that are only known at run time, as in `export "$x"`.
func (s *Shell) declared(args []*syntax.Assign) []*syntax.Assign {
	var out []*syntax.Assign
	for _, as := range args {
		if as.Name != nil {
			out = append(out, as)
			continue
		}
		for _, field := range s.fields(as.Value) {
			name, value, ok := strings.Cut(field, "=")
			made := &syntax.Assign{Name: &syntax.Lit{Value: name}, Naked: !ok}
			if ok {
				made.Value = &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: value}}}
			}
			out = append(out, made)
		}
	}
	return out
}

func (s *Shell) printDeclared(d declaration, variant string) {
	s.scope.each(func(name string, v expand.Variable) bool {
		if v.IsSet() && v.Kind == expand.String && (!d.export || v.Exported) && (!d.readonly || v.ReadOnly) {
			s.printf("%s %s=%s\n", variant, name, quote(v.Str))
		}
		return true
	})
}
