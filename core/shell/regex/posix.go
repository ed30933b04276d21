package regex

import "strings"

// maxClass is how far a name within brackets is looked for, [:alpha:]: the longest that there is has twelve
// letters, and what does not end must not be looked through once more at each "[:".
const maxClass = 64

// FromBasic makes POSIX' basic expression an extended one: in it ( ) { } | + ? are literal without a
// backslash, and * at the start is.
func FromBasic(expr string) string {
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
			end := BracketEnd(expr, i)
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

// FromExtended makes POSIX' extended expression one of Compile's syntax: bracket expressions ([]abc], in which a
// backslash is literal) and \< \> differ.
func FromExtended(expr string) string {
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
			end := BracketEnd(expr, i)
			b.WriteString(bracket(expr[i:end]))
			i = end - 1
		default:
			b.WriteByte(expr[i])
		}
	}
	return b.String()
}

// BracketEnd is the index after the ] that closes the [ at i.
func BracketEnd(expr string, i int) int {
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
			if end := strings.Index(expr[j+2:min(j+2+maxClass, len(expr))], expr[j+1:j+2]+"]"); end >= 0 {
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
			if end := strings.Index(body[i:min(i+maxClass, len(body))], ":]"); end > 0 {
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
