package interp

import (
	"errors"
	"regexp"
	resyntax "regexp/syntax"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// match tells whether the pattern that a word is matches all of text.
func (s *Shell) match(word *syntax.Word, text string) bool {
	defer s.while(0)()
	pat := s.pattern(word)
	mode := pattern.EntireString
	if s.shopts[shoptNoCaseMatch] {
		mode |= pattern.NoGlobCase
	}
	if mayBeExtended(word) {
		mode |= pattern.ExtendedOperators
	}
	found, err := s.matchPattern(pat, text, mode)
	if err != nil {
		s.fail(2, "%v", err)
	}
	return found
}

// mayBeExtended tells whether @(a|b) is in a pattern: it, or what may hold it. Of quoted parentheses package
// expand tells nothing.
func mayBeExtended(word *syntax.Word) bool {
	for _, part := range word.Parts {
		switch part.(type) {
		case *syntax.ExtGlob, *syntax.ParamExp, *syntax.CmdSubst:
			return true
		}
	}
	return false
}

func (s *Shell) matchPattern(pat, text string, mode pattern.Mode) (bool, error) {
	if s.flight.Grow(patternMemory*len(pat)) != nil || s.ctx.Err() != nil {
		return false, nil
	}
	expr, err := expanding(func() (string, error) { return pattern.Regexp(pat, mode) })
	if not, ok := errors.AsType[*pattern.NegExtGlobError](err); ok {
		return s.matchNegated(pat, text, mode, not.Groups)
	}
	if err != nil {
		return pat == text, nil
	}
	re, err := s.compile(expr, false)
	if err != nil {
		return false, err
	}
	return re != nil && re.Match(s.ctx, text), nil
}

// matchNegated matches before!(one|other)behind: no regular expression says what is not. What stands beside it
// may have no patterns of its own, as package expand has it for names of files.
func (s *Shell) matchNegated(pat, text string, mode pattern.Mode, groups []pattern.NegExtGlobGroup) (bool, error) {
	before, behind := pat[:groups[0].Start], pat[groups[0].End:]
	for _, beside := range []string{before, behind} {
		if len(groups) > 1 || pattern.HasMeta(beside, 0) || strings.ContainsAny(beside, `()|\`) {
			return false, errors.New("!(…) is matched between fixed texts only")
		}
	}
	text, ok := strings.CutPrefix(text, before)
	if ok {
		text, ok = strings.CutSuffix(text, behind)
	}
	if !ok {
		return false, nil
	}
	found, err := s.matchPattern("@"+pat[groups[0].Start+1:groups[0].End], text, mode)
	return !found && err == nil, err
}

// matchExpr is [[ text =~ expression ]].
func (s *Shell) matchExpr(word *syntax.Word, text string) (bool, error) {
	defer s.while(0)()
	expr := s.expression(word)
	if s.shopts[shoptNoCaseMatch] {
		expr = "(?i)" + expr
	}
	re, err := s.compile(expr, true)
	if re == nil {
		return false, err
	}
	found := re.FindGroups(s.ctx, text)
	if s.ctx.Err() != nil {
		return false, nil
	}
	groups := []string{}
	for i := 0; i+1 < len(found); i += 2 {
		group := ""
		if found[i] >= 0 {
			group = text[found[i]:found[i+1]]
		}
		groups = append(groups, group)
	}
	s.scope.put("BASH_REMATCH", expand.Variable{Set: true, Kind: expand.Indexed, List: groups})
	return found != nil, nil
}

// expression is the extended expression that a word is, in package regex' syntax: what is quoted in it means
// itself.
func (s *Shell) expression(word *syntax.Word) string {
	var b strings.Builder
	for _, part := range word.Parts {
		one := &syntax.Word{Parts: []syntax.WordPart{part}}
		switch part := part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			b.WriteString(regexp.QuoteMeta(s.literal(one)))
		case *syntax.Lit:
			b.WriteString(part.Value) // with its backslashes
		default:
			b.WriteString(s.literal(one))
		}
	}
	return regex.FromExtended(b.String())
}

// compile compiles an expression that is drawn for as long as the command lasts; nil without an error if the
// shell has been ended.
func (s *Shell) compile(expr string, groups bool) (*regex.Regexp, error) {
	if s.flight.Grow(regex.ParseMemory*min(len(expr), regex.MaxExpr)) != nil || s.ctx.Err() != nil {
		return nil, nil
	}
	re, err := regex.Compile(expr)
	switch {
	case errors.Is(err, regex.ErrSize):
		return nil, err
	case err != nil:
		return nil, testError("bad regular expression")
	case s.flight.Grow(re.Memory(groups)) != nil:
		return nil, nil
	}
	return re, nil
}

// mayMatch tells whether a regular expression and a text of so many bytes are small enough to be
// matched by package expand, which asks no context. What cannot be compiled is.
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

// Package expand knows extended patterns in names of files only.
var (
	extendedPattern = regexp.MustCompile(`[?*+@!]\(`)
	errName         = errors.New("an extended pattern of files' names has to have one of * ? [ in it")
	errExtended     = errors.New("extended patterns are matched by case, [[ and names of files only")
)

// isName tells whether package expand takes a part of a path for a name, though it has an extended pattern: it
// looks for * ? and [ only.
func isName(word *syntax.Word) bool {
	group, other := false, false
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			for _, char := range part.Value {
				if char == '/' && group && !other {
					return true
				} else if char == '/' {
					group, other = false, false
				}
				other = other || strings.ContainsRune("*?[", char)
			}
		case *syntax.ExtGlob:
			group = true
			other = other || strings.ContainsAny(part.Op.String()+part.Pattern.Value, "*?[")
		default:
			other = true // as may be
		}
	}
	return group && !other
}

// mayExpand is mayMatch for the pattern of an expansion, which fails if not; it draws for what the
// pattern takes until the expansion ends.
func (s *Shell) mayExpand(pat string, size int) bool {
	_ = s.flight.Grow(patternMemory * len(pat))
	if s.ctx.Err() != nil {
		return false
	}
	if s.shopts[shoptExtGlob] && extendedPattern.MatchString(pat) {
		s.expansionFailed(errExtended)
		return false
	}
	expr, err := expanding(func() (string, error) { return pattern.Regexp(pat, 0) })
	if err == nil && !mayMatch(expr, size) {
		s.expansionFailed(errMatch)
		return false
	}
	return true
}
