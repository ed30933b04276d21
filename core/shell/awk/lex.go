package awk

import (
	"fmt"
	"strings"
)

// kind is what a token is. Operators and punctuation are their own text.
type kind int

const (
	eof kind = iota
	newline
	number
	text
	slashed
	name
	call    // a name directly before (
	builtin // a function of the language
	keyword
	operator
)

type token struct {
	kind kind
	text string
	line int
}

func (t token) String() string {
	switch t.kind {
	case eof:
		return "end of program"
	case newline:
		return "newline"
	}
	return "'" + t.text + "'"
}

var keywords = map[string]bool{
	"BEGIN": true, "END": true, "function": true, "func": true, "if": true, "else": true,
	"while": true, "for": true, "do": true, "break": true, "continue": true, "next": true,
	"nextfile": true, "exit": true, "return": true, "delete": true, "in": true, "getline": true,
	"print": true, "printf": true,
}

var functions = map[string]bool{
	"length": true, "substr": true, "index": true, "split": true, "sub": true, "gsub": true,
	"match": true, "sprintf": true, "sin": true, "cos": true, "atan2": true, "exp": true, "log": true,
	"sqrt": true, "int": true, "rand": true, "srand": true, "tolower": true, "toupper": true,
	"system": true, "close": true, "fflush": true,
}

var operators = []string{
	"**=", "&&", "||", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=",
	"!~", ">>", "**",
}

type lexer struct {
	src  string
	line int
	last token
}

// next gives the next token; a / begins a regular expression where an operand is expected.
func (l *lexer) next() (token, error) {
	t, err := l.scan()
	t.line = l.line
	l.last = t
	return t, err
}

func (l *lexer) scan() (token, error) {
	for l.src != "" {
		switch {
		case l.src[0] == ' ' || l.src[0] == '\t' || l.src[0] == '\r':
			l.src = l.src[1:]
		case strings.HasPrefix(l.src, "\\\n"):
			l.src = l.src[2:]
			l.line++
		case l.src[0] == '#':
			if i := strings.IndexByte(l.src, '\n'); i >= 0 {
				l.src = l.src[i:]
			} else {
				l.src = ""
			}
		default:
			return l.token()
		}
	}
	return token{kind: eof}, nil
}

func (l *lexer) take(k kind, n int) token {
	t := token{kind: k, text: l.src[:n]}
	l.src = l.src[n:]
	return t
}

func (l *lexer) token() (token, error) {
	c := l.src[0]
	switch {
	case c == '\n':
		l.line++
		return l.take(newline, 1), nil
	case isDigit(c) || c == '.' && len(l.src) > 1 && isDigit(l.src[1]):
		return l.take(number, numberLength(l.src)), nil
	case isLetter(c):
		n := 1
		for n < len(l.src) && (isLetter(l.src[n]) || isDigit(l.src[n])) {
			n++
		}
		word := l.src[:n]
		switch {
		case keywords[word]:
			return l.take(keyword, n), nil
		case functions[word]:
			return l.take(builtin, n), nil
		case n < len(l.src) && l.src[n] == '(':
			return l.take(call, n), nil
		}
		return l.take(name, n), nil
	case c == '"':
		return l.quoted('"', text)
	case c == '/' && l.operandNext():
		return l.quoted('/', slashed)
	}
	for _, op := range operators {
		if strings.HasPrefix(l.src, op) {
			return l.take(operator, len(op)), nil
		}
	}
	if strings.IndexByte("{}()[];,+-*/%^!<>|?:~$=", c) < 0 {
		return token{}, fmt.Errorf("line %d: unexpected character %q", l.line, c)
	}
	return l.take(operator, 1), nil
}

// operandNext tells whether an operand may come now, so that / is no division.
func (l *lexer) operandNext() bool {
	switch l.last.kind {
	case number, text, name, slashed:
		return false
	case builtin:
		return l.last.text != "length"
	case operator:
		switch l.last.text {
		case ")", "]", "$", "++", "--":
			return false
		}
	}
	return true
}

// quoted takes a string or a regular expression; escapes of strings are replaced, those of
// regular expressions but \/ stay.
func (l *lexer) quoted(end byte, k kind) (token, error) {
	var b strings.Builder
	for i := 1; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '\n':
			return token{}, fmt.Errorf("line %d: newline in a %s", l.line, map[kind]string{text: "string", slashed: "regular expression"}[k])
		case c == '\\' && i+1 < len(l.src):
			i++
			if k == slashed {
				if l.src[i] != '/' {
					b.WriteByte('\\')
				}
				b.WriteByte(l.src[i])
				continue
			}
			i += escape(&b, l.src[i:]) - 1
		case c == end:
			l.src = l.src[i+1:]
			return token{kind: k, text: b.String()}, nil
		default:
			b.WriteByte(c)
		}
	}
	return token{}, fmt.Errorf("line %d: it does not end", l.line)
}

// escape writes what the escape whose text begins after the backslash stands for, and gives
// its length.
func escape(b *strings.Builder, src string) int {
	if i := strings.IndexByte(`nt\"/abfrv`, src[0]); i >= 0 {
		b.WriteByte("\n\t\\\"/\a\b\f\r\v"[i])
		return 1
	}
	n, value := 0, 0
	for n < 3 && n < len(src) && src[n] >= '0' && src[n] <= '7' {
		value = value*8 + int(src[n]-'0')
		n++
	}
	if n > 0 {
		b.WriteByte(byte(value))
		return n
	}
	b.WriteByte('\\')
	b.WriteByte(src[0])
	return 1
}

// Unescape replaces the escapes of a string, as in the value of -v.
func Unescape(src string) string {
	var b strings.Builder
	for i := 0; i < len(src); i++ {
		if src[i] == '\\' && i+1 < len(src) {
			i += escape(&b, src[i+1:])
			continue
		}
		b.WriteByte(src[i])
	}
	return b.String()
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// numberLength is how much of src is a number in decimal; 0 if it does not begin with one.
func numberLength(src string) int {
	n, digits := 0, 0
	for n < len(src) && isDigit(src[n]) {
		n++
		digits++
	}
	if n < len(src) && src[n] == '.' {
		n++
		for n < len(src) && isDigit(src[n]) {
			n++
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	if n < len(src) && (src[n] == 'e' || src[n] == 'E') {
		m := n + 1
		if m < len(src) && (src[m] == '+' || src[m] == '-') {
			m++
		}
		if m < len(src) && isDigit(src[m]) {
			for m < len(src) && isDigit(src[m]) {
				m++
			}
			n = m
		}
	}
	return n
}
