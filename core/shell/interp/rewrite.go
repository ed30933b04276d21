package interp

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// What package expand is given is not always the word of the script: what would make much of little is worked
// out and drawn for before, and what it takes for something else is written so that it does not. A word that is
// another one then is a new one, as several shells may be at a script.

// substitutions draws for ${name//pattern/with} in word, whose result may be as long as the value
// times the replacement; these are expanded beforehand, once, in the word that is returned.
func (s *Shell) substitutions(word *syntax.Word) *syntax.Word {
	if word == nil {
		return nil
	}
	parts, changed := s.substitutionParts(word.Parts, false)
	if !changed {
		return word
	}
	return &syntax.Word{Parts: parts}
}

func (s *Shell) substitutionParts(parts []syntax.WordPart, inQuotes bool) (made []syntax.WordPart, changed bool) {
	for i, part := range parts {
		var other syntax.WordPart
		switch part := part.(type) {
		case *syntax.DblQuoted:
			if inner, ok := s.substitutionParts(part.Parts, true); ok {
				quoted := *part
				quoted.Parts = inner
				other = &quoted
			}
		case *syntax.ArithmExp:
			if expr := s.arithmetics(part.X); expr != part.X {
				other = &syntax.ArithmExp{X: expr}
			}
		case *syntax.ParamExp:
			if count, ok := s.countOfMap(part); ok {
				other = &syntax.Lit{Value: strconv.Itoa(count)}
			} else if param := s.substitution(part, inQuotes); param != part {
				other = param
			}
		}
		if other == nil {
			continue
		}
		if !changed {
			made, changed = append([]syntax.WordPart(nil), parts...), true
		}
		made[i] = other
	}
	return made, changed
}

// countOfMap is ${#name[@]} of an associative array, which package expand takes for one text.
func (s *Shell) countOfMap(pe *syntax.ParamExp) (int, bool) {
	word, ok := pe.Index.(*syntax.Word)
	if !pe.Length || !ok || pe.Param == nil || word.Lit() != "@" && word.Lit() != "*" {
		return 0, false
	}
	_, v := s.resolve(pe.Param.Value)
	return len(v.Map), v.Kind == expand.Associative
}

// substitution is a parameter as package expand is given it; inQuotes tells that double quotes stand around it.
func (s *Shell) substitution(pe *syntax.ParamExp, inQuotes bool) *syntax.ParamExp {
	made := *pe
	changed := false
	if pe.Index != nil && pe.Param != nil {
		if pe.Excl { // ${!name[@]} makes a text of each index
			_ = s.flight.Grow(copies * s.sizeOfParam(pe))
		}
		made.Index = s.arithmetics(pe.Index)
		changed = made.Index != pe.Index
	}
	if pe.Slice != nil {
		slice := syntax.Slice{Offset: s.arithmetics(pe.Slice.Offset), Length: s.arithmetics(pe.Slice.Length)}
		if slice != *pe.Slice {
			made.Slice, changed = &slice, true
		}
	}
	switch {
	case pe.Exp != nil && pe.Exp.Word != nil && pe.Param != nil && matches(pe.Exp.Op):
		expr := s.pattern(pe.Exp.Word)
		if !s.mayExpand(expr, s.sizeOfParam(pe)) {
			made.Exp = nil
			return &made
		}
		made.Exp = &syntax.Expansion{Op: pe.Exp.Op, Word: quoted(expr)}
		return &made
	case pe.Exp != nil && pe.Exp.Word != nil:
		if word := unescaped(s.substitutions(pe.Exp.Word), inQuotes); word != pe.Exp.Word {
			made.Exp = &syntax.Expansion{Op: pe.Exp.Op, Word: word}
			return &made
		}
	case pe.Repl != nil && pe.Param != nil:
		orig, with, value := s.pattern(pe.Repl.Orig), s.literal(pe.Repl.With), s.sizeOfParam(pe)
		_ = s.flight.Grow(value * (matchMemory + copies*len(with)))
		if !s.mayExpand(orig, value) {
			made.Repl = nil
			return &made
		}
		repl := *pe.Repl
		// As it is: the empty quotes keep a leading ~ from being a home directory.
		repl.Orig = &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{}, &syntax.Lit{Value: orig}}}
		repl.With, made.Repl = quoted(with), &repl
		return &made
	}
	if changed {
		return &made
	}
	return pe
}

func quoted(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
}

// arithmetics is an expression with the substitutions of its words; what is nested too deeply is nothing.
func (s *Shell) arithmetics(expr syntax.ArithmExpr) syntax.ArithmExpr {
	if expr == nil {
		return nil
	}
	if isLong(expr) {
		s.expansionFailed(errNested)
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{}}}
	}
	return s.arithmeticParts(expr)
}

func (s *Shell) arithmeticParts(expr syntax.ArithmExpr) syntax.ArithmExpr {
	switch x := expr.(type) {
	case *syntax.Word:
		return unescaped(s.substitutions(x), false)
	case *syntax.ParenArithm:
		if inner := s.arithmeticParts(x.X); inner != x.X {
			return &syntax.ParenArithm{X: inner}
		}
	case *syntax.UnaryArithm:
		if name := s.target(x.X); name != nil && (x.Op == syntax.Inc || x.Op == syntax.Dec) {
			return &syntax.UnaryArithm{Op: x.Op, Post: x.Post, X: name}
		}
		if inner := s.arithmeticParts(x.X); inner != x.X {
			return &syntax.UnaryArithm{Op: x.Op, Post: x.Post, X: inner}
		}
	case *syntax.BinaryArithm:
		if name := s.target(x.X); name != nil && assigns(x.Op) {
			return &syntax.BinaryArithm{Op: x.Op, X: name, Y: s.arithmeticParts(x.Y)}
		}
		if left, right := s.arithmeticParts(x.X), s.arithmeticParts(x.Y); left != x.X || right != x.Y {
			return &syntax.BinaryArithm{Op: x.Op, X: left, Y: right}
		}
	}
	return expr
}

// isLong tells whether an expression is a chain of so many operators (1+1+1…) that it is not
// worked out: the parser takes them one by one, but each is within the next.
func isLong(expr syntax.ArithmExpr) bool {
	for range maxNest {
		switch x := expr.(type) {
		case *syntax.BinaryArithm:
			expr = x.X
		case *syntax.ParenArithm:
			expr = x.X
		case *syntax.UnaryArithm:
			expr = x.X
		default:
			return false
		}
	}
	return true
}

// unescaped is a word whose backslashes are gone: expand.Literal leaves those that stand in no quotes, as it has
// patterns in mind, and all within the default of a parameter in double quotes, where they escape less.
func unescaped(word *syntax.Word, inQuotes bool) *syntax.Word {
	var parts []syntax.WordPart
	for i, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		at := -1
		if ok {
			at = strings.IndexByte(lit.Value, '\\')
		}
		switch {
		case at >= 0:
			if parts == nil {
				parts = append(parts, word.Parts[:i]...)
			}
			if at > 0 { // with a ~ it may begin with
				parts = append(parts, &syntax.Lit{Value: lit.Value[:at]})
			}
			parts = append(parts, &syntax.SglQuoted{Value: withoutEscapes(lit.Value[at:], inQuotes)})
		case parts != nil:
			parts = append(parts, part)
		}
	}
	if parts == nil {
		return word
	}
	return &syntax.Word{Parts: parts}
}

func withoutEscapes(text string, inQuotes bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!inQuotes || strings.IndexByte("$`\"\\}", text[i+1]) >= 0) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
