package interp

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// What arithmetic assigns to is a name for package expand, and an element of an array, ((a[i]++)), one without a
// text. It is given a name that no script can write, by which it asks env for the element and sets it.

// elementName begins such a name; its number is that of the element in s.targets.
const elementName = "\x00"

// assigns tells an operator that sets what stands before it.
func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	default:
		return false
	}
}

// target is the name of an element that may be set; nil if expr is none.
func (s *Shell) target(expr syntax.ArithmExpr) syntax.ArithmExpr {
	word, ok := expr.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return nil
	}
	pe, ok := word.Parts[0].(*syntax.ParamExp)
	if !ok || !pe.Short || pe.Dollar.IsValid() || pe.Index == nil || pe.Param == nil {
		return nil
	}
	s.targets = append(s.targets, pe)
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: elementName + strconv.Itoa(len(s.targets)-1)}}}
}

// targeted is the element that a name stands for; nil if it is another name.
func (s *Shell) targeted(name string) *syntax.ParamExp {
	number, ok := strings.CutPrefix(name, elementName)
	if at, err := strconv.Atoi(number); ok && err == nil && at >= 0 && at < len(s.targets) {
		return s.targets[at]
	}
	return nil
}

// targetValue is an element as a variable.
func (s *Shell) targetValue(pe *syntax.ParamExp) expand.Variable {
	_, v := s.resolve(pe.Param.Value)
	value, set := "", false
	if v.Kind == expand.Associative {
		value, set = v.Map[s.key(pe.Index)], true
	} else if i, ok := s.subscript(indexed(v), s.arithmetic(pe.Index)); ok {
		at, there := place(indexed(v), i)
		if set = there; set {
			value = indexed(v).List[at]
		}
	}
	return expand.Variable{Set: set, Kind: expand.String, Str: value}
}

func (s *Shell) setTarget(pe *syntax.ParamExp, value string) error {
	name, v := s.resolve(pe.Param.Value)
	if v.ReadOnly {
		s.fail(2, "%s: %v", name, errReadOnly)
		return errReadOnly
	}
	v, ok := s.element(v, pe.Index, value, false)
	if !ok {
		return errSubscript
	}
	return s.assign(name, v)
}
