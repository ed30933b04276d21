package tool

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func init() { tools["expr"] = expr }

// Exit codes of expr, as POSIX has them.
const (
	exprNull    = 1 // the value is empty or 0
	exprInvalid = 2
)

func expr(t *T) int {
	args := t.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	p := &exprParser{t: t, words: args}
	v, err := p.binary(0)
	if err == nil && len(p.words) > 0 {
		err = errors.New("syntax error")
	}
	if err != nil {
		t.fail("%v", err)
		return exprInvalid
	}
	t.print(v + "\n")
	if exprFalse(v) {
		return exprNull
	}
	return 0
}

// exprParser reads POSIX' expr grammar, operator after operator.
type exprParser struct {
	t     *T
	words []string
	depth int
}

// exprLevels are the operators from the loosest binding to the tightest.
var exprLevels = [][]string{
	{"|"}, {"&"}, {"=", "==", ">", ">=", "<", "<=", "!="}, {"+", "-"}, {"*", "/", "%"}, {":"},
}

func (p *exprParser) binary(level int) (string, error) {
	if level == len(exprLevels) {
		return p.primary()
	}
	left, err := p.binary(level + 1)
	for err == nil && len(p.words) > 0 {
		op := p.words[0]
		if !slices.Contains(exprLevels[level], op) {
			break
		}
		p.words = p.words[1:]
		var right string
		if right, err = p.binary(level + 1); err == nil {
			left, err = p.apply(op, left, right)
		}
	}
	return left, err
}

func (p *exprParser) primary() (string, error) {
	if len(p.words) == 0 {
		return "", errors.New("syntax error")
	}
	if p.depth++; p.depth > maxNest {
		return "", errNested
	}
	defer func() { p.depth-- }()
	word := p.words[0]
	p.words = p.words[1:]
	switch {
	case word == "(":
		v, err := p.binary(0)
		if err == nil && (len(p.words) == 0 || p.words[0] != ")") {
			return "", errors.New("syntax error")
		}
		if err == nil {
			p.words = p.words[1:]
		}
		return v, err
	case word == "length" && len(p.words) > 0:
		v, err := p.primary()
		return strconv.Itoa(utf8.RuneCountInString(v)), err
	}
	return word, nil
}

// exprFalse reports whether a value counts as false: empty or zero.
func exprFalse(v string) bool {
	n, err := strconv.ParseInt(v, 10, 64)
	return v == "" || err == nil && n == 0
}

func (p *exprParser) apply(op, left, right string) (string, error) {
	a, err1 := strconv.ParseInt(left, 10, 64)
	b, err2 := strconv.ParseInt(right, 10, 64)
	numbers := err1 == nil && err2 == nil
	switch op {
	case "|":
		if exprFalse(left) {
			return right, nil
		}
		return left, nil
	case "&":
		if exprFalse(left) || exprFalse(right) {
			return "0", nil
		}
		return left, nil
	case ":":
		return p.match(left, right)
	case "+", "-", "*", "/", "%":
		if !numbers {
			return "", errors.New("non-integer argument")
		}
		if b == 0 && (op == "/" || op == "%") {
			return "", errors.New("division by zero")
		}
		return strconv.FormatInt(map[string]func() int64{
			"+": func() int64 { return a + b }, "-": func() int64 { return a - b },
			"*": func() int64 { return a * b }, "/": func() int64 { return a / b }, "%": func() int64 { return a % b },
		}[op](), 10), nil
	}
	order := strings.Compare(left, right)
	if numbers {
		order = int(max(-1, min(1, a-b)))
	}
	holds := map[string]bool{
		"=": order == 0, "==": order == 0, "!=": order != 0,
		"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0,
	}[op]
	if holds {
		return "1", nil
	}
	return "0", nil
}

// match matches a basic regular expression at the beginning: the first group, or the number
// of characters that matched.
func (p *exprParser) match(text, pattern string) (string, error) {
	re, err := p.t.compile("^"+strings.TrimPrefix(pattern, "^"), false, false, true)
	if err != nil {
		return "", err
	}
	m := re.FindGroups(p.t.ctx, text)
	switch {
	case len(m) > 2 && m[2] >= 0:
		return text[m[2]:m[3]], nil
	case re.Groups() > 0:
		return "", nil
	case m == nil:
		return "0", nil
	}
	return strconv.Itoa(utf8.RuneCountInString(text[m[0]:m[1]])), nil
}
