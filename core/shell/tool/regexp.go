package tool

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// compile translates a POSIX regular expression, basic or extended, into Go's (RE2), which
// has no back-references but also no input that takes it exponential time.
func compile(expr string, extended, fold bool) (*regexp.Regexp, error) {
	if !extended {
		expr = basic(expr)
	}
	return compilePerl(classes(expr), fold)
}

// compilePerl compiles what is Perl's syntax already, as far as RE2 has it: neither lookaround, nor
// back-references, nor \K. What it lacks is in the error.
func compilePerl(expr string, fold bool) (*regexp.Regexp, error) {
	if fold {
		expr = "(?i)" + expr
	}
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if weight(parsed) > maxWeight {
		return nil, errors.New("the regular expression is too large")
	}
	return regexp.Compile(expr)
}

// maxWeight is how many instructions a regular expression may have: x{1000} has a thousand.
// Each takes some 40 bytes, and time at each character of what is searched.
const maxWeight = 1 << 16

// weight is about how many instructions re comes to.
func weight(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxWeight+1)
}

// basic makes a basic expression an extended one: in it ( ) { } | + ? are literal without a
// backslash, and * at the start is.
func basic(expr string) string {
	var b strings.Builder
	start := true
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		switch {
		case c == '\\' && i+1 < len(expr):
			i++
			if strings.IndexByte("(){}|+?", expr[i]) >= 0 {
				b.WriteByte(expr[i])
				start = expr[i] == '(' || expr[i] == '|'
				continue
			}
			b.WriteByte('\\')
			b.WriteByte(expr[i])
		case c == '[':
			end := bracketEnd(expr, i)
			b.WriteString(expr[i:end])
			i = end - 1
		case strings.IndexByte("(){}|+?", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '*' && start:
			b.WriteString(`\*`)
		case c == '^' && !start:
			b.WriteString(`\^`)
		case c == '$' && i+1 < len(expr) && !strings.HasPrefix(expr[i+1:], `\)`) && !strings.HasPrefix(expr[i+1:], `\|`):
			b.WriteString(`\$`)
		default:
			b.WriteByte(c)
			start = c == '^' && start
			continue
		}
		start = false
	}
	return b.String()
}

// classes adapts bracket expressions ([]abc], in which a backslash is literal) and \< \>.
func classes(expr string) string {
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		switch {
		case expr[i] == '\\' && i+1 < len(expr):
			i++
			switch expr[i] {
			case '<', '>':
				b.WriteString(`\b`)
			case '`':
				b.WriteString(`\A`)
			case '\'':
				b.WriteString(`\z`)
			default:
				b.WriteByte('\\')
				b.WriteByte(expr[i])
			}
		case expr[i] == '[':
			end := bracketEnd(expr, i)
			b.WriteString(bracket(expr[i:end]))
			i = end - 1
		default:
			b.WriteByte(expr[i])
		}
	}
	return b.String()
}

// bracketEnd is the index after the ] that closes the [ at i.
func bracketEnd(expr string, i int) int {
	j := i + 1
	if j < len(expr) && expr[j] == '^' {
		j++
	}
	if j < len(expr) && expr[j] == ']' {
		j++
	}
	for ; j < len(expr); j++ {
		if expr[j] == ']' {
			return j + 1
		}
		if expr[j] == '[' && j+1 < len(expr) && strings.IndexByte(":.=", expr[j+1]) >= 0 {
			if end := strings.Index(expr[j+2:], expr[j+1:j+2]+"]"); end >= 0 {
				j += end + 3
			}
		}
	}
	return len(expr)
}

func bracket(text string) string {
	var b strings.Builder
	body := strings.TrimPrefix(text, "[")
	b.WriteByte('[')
	if rest, ok := strings.CutPrefix(body, "^"); ok {
		b.WriteByte('^')
		body = rest
	}
	if rest, ok := strings.CutPrefix(body, "]"); ok {
		b.WriteString(`\]`)
		body = rest
	}
	for i := 0; i < len(body); i++ {
		if body[i] == '[' && i+1 < len(body) && body[i+1] == ':' {
			if end := strings.Index(body[i:], ":]"); end > 0 {
				b.WriteString(body[i : i+end+2])
				i += end + 1
				continue
			}
		}
		if body[i] == '\\' || body[i] == '[' || body[i] == '&' || body[i] == '~' {
			b.WriteByte('\\')
		}
		b.WriteByte(body[i])
	}
	return b.String()
}
