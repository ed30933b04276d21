package interp

import (
	"regexp"
	resyntax "regexp/syntax"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// match tells whether a shell pattern matches all of text.
func (s *Shell) match(pat, text string) bool {
	defer s.while(patternMemory * len(pat))()
	if s.ctx.Err() != nil {
		return false
	}
	expr, err := expanding(func() (string, error) { return pattern.Regexp(pat, pattern.EntireString) })
	if err != nil {
		return pat == text
	}
	if !mayMatch(expr, len(text)) {
		s.fail(2, "%v", errMatch)
		return false
	}
	re, err := regexp.Compile(expr)
	return err == nil && re.MatchString(text)
}

// mayMatch tells whether a regular expression and a text of so many bytes are small enough to be
// matched. What cannot be compiled is.
func mayMatch(expr string, size int) bool {
	parsed, err := resyntax.Parse(expr, resyntax.Perl)
	if err != nil {
		return true
	}
	program, err := resyntax.Compile(parsed.Simplify())
	return err != nil || size <= maxMatchWork/max(len(program.Inst), 1)
}

// matches tells whether an expansion matches its word as a pattern with the parameter.
func matches(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return true
	default:
		return false
	}
}

// mayExpand is mayMatch for the pattern of an expansion, which fails if not; it draws for what the
// pattern takes until the expansion ends.
func (s *Shell) mayExpand(pat string, size int) bool {
	_ = s.flight.Grow(patternMemory * len(pat))
	if s.ctx.Err() != nil {
		return false
	}
	expr, err := expanding(func() (string, error) { return pattern.Regexp(pat, 0) })
	if err == nil && !mayMatch(expr, size) {
		s.expansionFailed(errMatch)
		return false
	}
	return true
}
