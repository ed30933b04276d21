package interp

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

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
	var named []string
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
		named = append(named, name)
		if !d.print && !d.functions {
			s.declareOne(d, as)
		}
	}
	switch {
	case d.functions:
		s.printFunctions(d, named)
	case len(named) == 0:
		s.printDeclared(d, variant)
	case d.print:
		for _, name := range named {
			if v := s.scope.get(name); v.Declared() {
				s.printDeclaration(name, v)
			} else {
				s.fail(1, "%s: %s: not found", variant, name)
			}
		}
	}
}

type declaration struct {
	export, unexport, readonly, local, nameref, indexed, assoc, print, functions, names bool
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
	case 'p':
		d.print = on
	case 'f', 'F':
		d.functions = on
		d.names = d.names || letter == 'F'
	case 'i', 'l', 'u', 't':
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
		v.Kind, v.Str, v.List, v.Indexes, v.Map = expand.Associative, "", nil, nil, map[string]string{}
		s.scope.put(name, v)
	} else if d.indexed && v.Kind != expand.Associative {
		s.scope.put(name, indexed(v))
	}
	if !as.Naked {
		if d.nameref {
			_ = s.assign(name, expand.Variable{Set: true, Kind: expand.NameRef, Str: s.literal(as.Value)})
			return
		}
		s.assignment(as)
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
		switch {
		case d.export && !v.Exported, d.readonly && !v.ReadOnly, d.indexed && v.Kind != expand.Indexed, d.assoc && v.Kind != expand.Associative:
		case variant == "declare" && d != declaration{}, variant == "typeset" && d != declaration{}:
			s.printDeclaration(name, v)
		case v.IsSet() && v.Kind == expand.String:
			s.printf("%s %s=%s\n", variant, name, quote(v.Str))
		}
		return s.ctx.Err() == nil
	})
}

// printDeclaration prints a variable as declare -p has it: element by element, as all together may be long.
func (s *Shell) printDeclaration(name string, v expand.Variable) {
	flags := v.Flags()
	if flags == "" {
		flags = "-"
	}
	s.printf("declare -%s %s", flags, name)
	switch {
	case !v.IsSet():
	case v.Kind == expand.Indexed || v.Kind == expand.Associative:
		separator, end := "=(", ")"
		if len(v.List)+len(v.Map) == 0 {
			s.print("=(")
		}
		s.eachElement(v, func(subscript, value string) {
			s.printf("%s[%s]=%s", separator, subscript, s.doubleQuoted(value))
			if separator = " "; v.Kind == expand.Associative {
				end = " )" // as bash has it
			}
		})
		s.print(end)
	default:
		s.printf("=%s", s.doubleQuoted(v.Str))
	}
	s.print("\n")
}

// doubleQuoted is a text as declare -p has it, drawn for as long as the command lasts.
func (s *Shell) doubleQuoted(text string) string {
	if s.flight.Grow(copies*copies*len(text)) != nil {
		return ""
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return quote(text)
	}
	return `"` + inDoubleQuotes.Replace(text) + `"`
}

var inDoubleQuotes = strings.NewReplacer("\\", "\\\\", `"`, `\"`, "$", `\$`, "`", "\\`")

// printFunctions is declare -f and declare -F, whose words alone it is for -F.
func (s *Shell) printFunctions(d declaration, names []string) {
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(s.funcs))
	}
	for _, name := range names {
		body := s.funcs[name]
		switch {
		case body == nil:
			s.status = 1
		case d.names:
			s.printf("%s\n", name)
		default:
			s.printFunction(name, body)
		}
	}
}

// printFunction prints a function so that it can be read again; bash sets its lines otherwise.
func (s *Shell) printFunction(name string, body *syntax.Stmt) {
	defer s.while(s.funcSizes[name])()
	if s.ctx.Err() != nil {
		return
	}
	text, err := expanding(func() (string, error) {
		var b strings.Builder
		err := syntax.NewPrinter().Print(&b, &syntax.FuncDecl{Parens: true, Name: &syntax.Lit{Value: name}, Body: body})
		return b.String(), err
	})
	if err != nil {
		s.fail(1, "declare: %s: %v", name, err)
		return
	}
	s.printf("%s\n", text)
}
