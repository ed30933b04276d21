package awk

// groupList is (a, b): the arguments of print, or the index of (a, b) in array.
type groupList []expr

// expr is the whole grammar of expressions, the loosest first: assignment, ?:, ||, &&, in,
// ~, comparison, concatenation, +, *, unary, ^, ++, $, primary.
func (p *parser) expr() expr {
	defer p.enter()()
	x := p.ternary()
	if p.tok.kind != operator {
		return x
	}
	switch op := p.tok.text; op {
	case "=", "+=", "-=", "*=", "/=", "%=", "^=", "**=":
		if !assignable(x) {
			p.fail("cannot assign to this")
		}
		p.advance()
		p.skip(newline, "")
		if op = op[:len(op)-1]; op == "**" {
			op = "^"
		}
		return assignExpr{x, op, p.expr()}
	}
	return x
}

func assignable(x expr) bool {
	switch x.(type) {
	case varExpr, fieldExpr, indexExpr:
		return true
	}
	return false
}

func (p *parser) ternary() expr {
	cond := p.binary(0)
	if !p.got("?") {
		return cond
	}
	p.skip(newline, "")
	x := p.expr()
	p.skip(newline, "")
	p.want(":")
	p.skip(newline, "")
	return condExpr{cond, x, p.expr()}
}

// levels are the binary operators, the loosest first; "" is concatenation.
var levels = [][]string{
	{"||"}, {"&&"}, {"in"}, {"~", "!~"}, {"<", "<=", "!=", "==", ">", ">="}, {""}, {"+", "-"}, {"*", "/", "%"},
}

func (p *parser) binary(level int) expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for {
		op, ok := p.operatorAt(level)
		if !ok {
			return x
		}
		if p.chained++; p.chained > maxChained {
			p.fail("nested too deeply")
		}
		switch op {
		case "in":
			p.advance()
			index := []expr{x}
			if g, ok := x.(groupList); ok {
				index = g
			}
			if p.tok.kind != name {
				p.fail("unexpected %s, want an array", p.tok)
			}
			x = inExpr{index, p.tok.text}
			p.advance()
			continue
		case "":
			x = binaryExpr{"", x, p.binary(level + 1)}
			continue
		}
		p.advance()
		if op == "||" || op == "&&" {
			p.skip(newline, "")
		}
		x = binaryExpr{op, x, p.binary(level + 1)}
	}
}

// operatorAt tells whether an operator of the level comes.
func (p *parser) operatorAt(level int) (string, bool) {
	if levels[level][0] == "" {
		return "", p.operandFollows()
	}
	for _, op := range levels[level] {
		if !p.is(op) || op == ">" && p.noGT || op == "in" && p.noIn {
			continue
		}
		return op, true
	}
	return "", false
}

// operandFollows tells whether what comes can be concatenated.
func (p *parser) operandFollows() bool {
	switch p.tok.kind {
	case number, text, slashed, name, call, builtin:
		return true
	case operator:
		switch p.tok.text {
		case "$", "!", "(", "-", "+", "++", "--":
			// a -1 is a subtraction: + and - were taken by a tighter level.
			return p.tok.text != "-" && p.tok.text != "+" && p.tok.text != "!"
		}
	}
	return false
}

// concatenated is an expression without comparison: the file of a redirection.
func (p *parser) concatenated() expr { return p.binary(5) }

func (p *parser) unary() expr {
	defer p.enter()()
	for _, op := range []string{"!", "-", "+"} {
		if p.got(op) {
			return unaryExpr{op, p.unary()}
		}
	}
	x := p.postfix()
	if p.is("^") || p.is("**") {
		p.advance()
		return binaryExpr{"^", x, p.unary()} // right associative, tighter than a sign before it
	}
	return x
}

func (p *parser) postfix() expr {
	defer p.enter()()
	if p.is("++") || p.is("--") {
		by := 1.0
		if p.tok.text == "--" {
			by = -1
		}
		p.advance()
		x := p.postfix()
		if !assignable(x) {
			p.fail("cannot increment this")
		}
		return stepExpr{x, by, false}
	}
	x := p.primary()
	if assignable(x) && (p.is("++") || p.is("--")) {
		by := 1.0
		if p.tok.text == "--" {
			by = -1
		}
		p.advance()
		return stepExpr{x, by, true}
	}
	return x
}

func (p *parser) primary() expr {
	defer p.enter()()
	t := p.tok
	switch t.kind {
	case number:
		return p.number()
	case text:
		p.advance()
		return textExpr(t.text)
	case slashed:
		p.advance()
		return p.regexp(t.text)
	case name:
		p.advance()
		if p.got("[") {
			return indexExpr{t.text, p.list("]")}
		}
		return varExpr(t.text)
	case call:
		p.advance()
		p.want("(")
		return callExpr{t.text, p.list(")")}
	case builtin:
		p.advance()
		if t.text == "system" {
			p.fail("commands are not supported")
		}
		var args []expr
		if p.got("(") {
			args = p.list(")")
		} else if t.text != "length" {
			p.fail("unexpected %s, want '('", p.tok)
		}
		if least, most := arity(t.text); len(args) < least || len(args) > most {
			p.fail("%s: wrong number of arguments", t.text)
		}
		return builtinExpr{t.text, args}
	}
	switch {
	case p.got("$"):
		if p.is("++") || p.is("--") {
			return fieldExpr{p.postfix()}
		}
		if p.got("-") {
			return fieldExpr{unaryExpr{"-", p.primary()}}
		}
		return fieldExpr{p.primary()}
	case p.got("("):
		list := p.list(")")
		if len(list) == 1 {
			return groupExpr{list[0]}
		}
		if len(list) == 0 {
			p.fail("empty ( )")
		}
		return groupList(list)
	case p.got("getline"):
		g := getlineExpr{}
		if p.tok.kind == name || p.is("$") {
			g.to = p.primary()
		}
		if p.got("<") {
			g.file = p.binary(6)
		}
		return g
	}
	p.fail("unexpected %s", p.tok)
	return nil
}

func arity(name string) (least, most int) {
	switch name {
	case "length", "srand", "fflush":
		return 0, 1
	case "rand":
		return 0, 0
	case "substr", "split", "sub", "gsub":
		return 2, 3
	case "index", "match", "atan2":
		return 2, 2
	case "sprintf":
		return 1, 1 << 10
	}
	return 1, 1
}
