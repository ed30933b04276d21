package awk

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// eval gives an expression's value. What its parts made is gone then; itself it is counted until the
// expression that it is a part of has its own, or its statement ends.
func (m *machine) eval(x expr) value {
	mark := m.flying
	v := m.value(x)
	m.fly(mark + len(v.s))
	return v
}

func (m *machine) value(x expr) value {
	switch x := x.(type) {
	case numberExpr:
		return num(float64(x))
	case textExpr:
		return str(string(x))
	case regexExpr:
		return boolean(x.re.Match(m.Context, m.whole()))
	case groupExpr:
		return m.eval(x.x)
	case groupList:
		m.fail("a list has no value")
	case varExpr:
		return m.variable(string(x))
	case fieldExpr:
		return m.field(int(m.eval(x.x).number()))
	case indexExpr:
		a, key := m.array(x.array), m.key(x.index)
		v, ok := a.elems[key]
		if !ok {
			m.put(a, key, uninitialised) // a reference makes the element
		}
		return v
	case assignExpr:
		v := m.eval(x.x)
		if x.op != "" {
			v = m.arithmetic(x.op, m.eval(x.to).number(), v.number())
		}
		m.assign(x.to, v)
		return v
	case stepExpr:
		old := m.eval(x.to).number()
		m.assign(x.to, num(old+x.by))
		if x.post {
			return num(old)
		}
		return num(old + x.by)
	case unaryExpr:
		v := m.eval(x.x)
		switch x.op {
		case "!":
			return boolean(!v.truth())
		case "-":
			return num(-v.number())
		}
		return num(v.number())
	case condExpr:
		if m.eval(x.cond).truth() {
			return m.eval(x.x)
		}
		return m.eval(x.y)
	case inExpr:
		_, ok := m.array(x.array).elems[m.key(x.index)]
		return boolean(ok)
	case binaryExpr:
		return m.binary(x)
	case callExpr:
		return m.call(x)
	case builtinExpr:
		return m.builtin(x)
	case getlineExpr:
		return m.getline(x)
	}
	return uninitialised
}

func (m *machine) binary(x binaryExpr) value {
	switch x.op {
	case "&&":
		return boolean(m.eval(x.x).truth() && m.eval(x.y).truth())
	case "||":
		return boolean(m.eval(x.x).truth() || m.eval(x.y).truth())
	case "~":
		return boolean(m.regexp(x.y).re.Match(m.Context, m.str(x.x)))
	case "!~":
		return boolean(!m.regexp(x.y).re.Match(m.Context, m.str(x.x)))
	}
	a, b := m.eval(x.x), m.eval(x.y)
	switch x.op {
	case "":
		x, y := a.text(m.convfmt()), b.text(m.convfmt())
		fits(len(x) + len(y))
		return str(x + y)
	case "<", "<=", "==", "!=", ">", ">=":
		order := compare(a, b, m.convfmt())
		switch x.op {
		case "<":
			return boolean(order < 0)
		case "<=":
			return boolean(order <= 0)
		case "==":
			return boolean(order == 0)
		case "!=":
			return boolean(order != 0)
		case ">":
			return boolean(order > 0)
		}
		return boolean(order >= 0)
	}
	return m.arithmetic(x.op, a.number(), b.number())
}

func (m *machine) arithmetic(op string, a, b float64) value {
	switch op {
	case "+":
		return num(a + b)
	case "-":
		return num(a - b)
	case "*":
		return num(a * b)
	case "/", "%":
		if b == 0 {
			m.fail("division by zero")
		}
		if op == "/" {
			return num(a / b)
		}
		return num(math.Mod(a, b))
	}
	return num(math.Pow(a, b))
}

// regexp is an expression as a regular expression: /…/, or a string's.
func (m *machine) regexp(x expr) regexExpr {
	if g, ok := x.(groupExpr); ok {
		x = g.x
	}
	if re, ok := x.(regexExpr); ok {
		return re
	}
	return m.compile(m.str(x))
}

func (m *machine) compile(src string) regexExpr {
	if re, ok := m.regexps[src]; ok {
		return re
	}
	if len(src) > maxPattern {
		m.fail("a regular expression of more than %d bytes", maxPattern)
	}
	if len(m.regexps) > 50 {
		clear(m.regexps)
		m.patterns = 0
	}
	m.hold(ofPatterns, m.patterns+len(src)*regex.ParseMemory)
	re, err := m.Compile(src)
	if err != nil {
		m.fail("bad regular expression /%.200s/", src)
	}
	m.patterns += re.Memory(false)
	m.hold(ofPatterns, m.patterns)
	m.regexps[src] = regexExpr{re}
	return regexExpr{re}
}

func (m *machine) variable(name string) value {
	if m.local != nil && m.local.params[name] {
		return m.local.vars[name]
	}
	if name == "NF" {
		m.splitRecord()
		return num(float64(len(m.fields)))
	}
	return m.vars[name]
}

func (m *machine) assign(to expr, v value) {
	switch to := to.(type) {
	case varExpr:
		name := string(to)
		switch {
		case m.local != nil && m.local.params[name]:
			m.keep(len(v.s) - m.local.kept[name])
			m.local.kept[name] = len(v.s)
			m.local.vars[name] = v
		case name == "NF":
			m.setCount(int(v.number()))
		default:
			m.keep(len(v.s) - len(m.vars[name].s))
			m.vars[name] = v
		}
	case indexExpr:
		m.put(m.array(to.array), m.key(to.index), v)
	case fieldExpr:
		m.setField(int(m.eval(to.x).number()), v.text(m.convfmt()))
	}
}

// builtin calls a function of the language.
func (m *machine) builtin(x builtinExpr) value {
	switch x.name {
	case "length":
		if len(x.args) == 0 {
			return num(float64(utf8.RuneCountInString(m.whole())))
		}
		if v, ok := x.args[0].(varExpr); ok && !m.isScalar(string(v)) {
			return num(float64(len(m.array(string(v)).elems)))
		}
		return num(float64(utf8.RuneCountInString(m.str(x.args[0]))))
	case "split":
		return m.splitInto(x)
	case "sub", "gsub":
		return m.substitute(x)
	case "match":
		return m.match(m.str(x.args[0]), m.regexp(x.args[1]))
	case "close":
		return m.close(m.str(x.args[0]))
	case "fflush":
		return num(0)
	case "rand":
		return num(m.rand())
	case "srand":
		old := m.seed
		m.seed = 0
		if len(x.args) > 0 {
			m.seed = m.eval(x.args[0]).number()
		}
		m.random = math.Float64bits(m.seed) | 1
		return num(old)
	}
	args := make([]value, len(x.args))
	for i, arg := range x.args {
		args[i] = m.eval(arg)
	}
	first := args[0]
	switch x.name {
	case "substr":
		return substr(first.text(m.convfmt()), args[1:])
	case "index":
		s := first.text(m.convfmt())
		at := strings.Index(s, args[1].text(m.convfmt()))
		if at < 0 {
			return num(0)
		}
		return num(float64(utf8.RuneCountInString(s[:at]) + 1))
	case "sprintf":
		return str(sprintf(first.text(m.convfmt()), args[1:], m.convfmt()))
	case "tolower":
		return str(strings.ToLower(first.text(m.convfmt())))
	case "toupper":
		return str(strings.ToUpper(first.text(m.convfmt())))
	case "atan2":
		return num(math.Atan2(first.number(), args[1].number()))
	}
	f := map[string]func(float64) float64{"sin": math.Sin, "cos": math.Cos, "exp": math.Exp, "log": math.Log, "sqrt": math.Sqrt, "int": math.Trunc}[x.name]
	return num(f(first.number()))
}

// substr is from the character at args[0], counted from 1, as many as args[1] says.
func substr(s string, args []value) value {
	from := math.Round(args[0].number())
	to := math.Inf(1)
	if len(args) > 1 {
		to = from + math.Round(args[1].number())
	}
	from, to = max(from, 1), min(to, float64(len(s)+1)) // no more characters than bytes
	if !(from < to) {
		return str("")
	}
	begin, n := len(s), 1
	for i := range s {
		if n == int(from) {
			begin = i
		}
		if n == int(to) {
			return str(s[begin:i])
		}
		n++
	}
	return str(s[begin:])
}

func (m *machine) match(s string, re regexExpr) value {
	at := re.re.Find(m.Context, s)
	start, length := 0.0, -1.0
	if at != nil {
		start, length = float64(utf8.RuneCountInString(s[:at[0]])+1), float64(utf8.RuneCountInString(s[at[0]:at[1]]))
	}
	m.vars["RSTART"], m.vars["RLENGTH"] = num(start), num(length)
	return num(start)
}

// substitute is sub and gsub: & in the replacement is what matched.
func (m *machine) substitute(x builtinExpr) value {
	re, with := m.regexp(x.args[0]), m.str(x.args[1])
	var to expr = fieldExpr{numberExpr(0)}
	if len(x.args) > 2 {
		if to = x.args[2]; !assignable(to) {
			m.fail("%s: cannot assign to this", x.name)
		}
	}
	s := m.str(to)
	b := m.growing()
	at, replaced, limit := 0, 0, -1
	if x.name == "sub" {
		limit = 1
	}
	for match := range re.re.All(m.Context, s, limit) {
		if replaced++; replaced%64 == 0 {
			m.asked() // the replacement may be long, and come to nothing
		}
		b.write(s[at:match[0]])
		for i := 0; i < len(with); i++ {
			switch {
			case with[i] == '\\' && i+1 < len(with) && (with[i+1] == '&' || with[i+1] == '\\'):
				i++
				b.write(with[i : i+1])
			case with[i] == '&':
				b.write(s[match[0]:match[1]])
			default:
				b.write(with[i : i+1])
			}
		}
		at = match[1]
	}
	if replaced == 0 {
		return num(0)
	}
	b.write(s[at:])
	m.assign(to, str(b.text.String()))
	return num(float64(replaced))
}
