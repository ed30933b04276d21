package awk

import (
	"fmt"
	"strconv"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// CompileRegexp compiles an extended regular expression.
type CompileRegexp func(expr string) (*regex.Regexp, error)

// Parse reads a program.
func Parse(src string, compile CompileRegexp) (prog *Program, err error) {
	p := &parser{lex: lexer{src: src, line: 1}, compile: compile, prog: &Program{funcs: map[string]*function{}}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(parseError)
			if !ok {
				panic(r)
			}
			prog, err = nil, e
		}
	}()
	p.advance()
	for p.skip(newline, ";"); p.tok.kind != eof; p.skip(newline, ";") {
		p.item()
	}
	return p.prog, nil
}

type parseError string

func (e parseError) Error() string { return string(e) }

type parser struct {
	lex     lexer
	tok     token
	compile CompileRegexp
	prog    *Program
	depth   int  // of expressions and blocks
	chained int  // binary operators
	noIn    bool // in the head of a for: `in` is not an operator
	noGT    bool // in print: > is a redirection
}

// maxDepth bounds nesting, so that no program overflows the stack.
const maxDepth = 300

// maxChained bounds the operators between operands: in a chain (1+1+1…) each is within the next.
const maxChained = 50_000

func (p *parser) fail(format string, args ...any) {
	panic(parseError(fmt.Sprintf("line %d: syntax error: ", p.tok.line) + fmt.Sprintf(format, args...)))
}

func (p *parser) advance() {
	var err error
	if p.tok, err = p.lex.next(); err != nil {
		panic(parseError(err.Error()))
	}
}

func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
	return func() { p.depth-- }
}

// is tells whether the token is the operator or keyword text.
func (p *parser) is(text string) bool {
	return (p.tok.kind == operator || p.tok.kind == keyword) && p.tok.text == text
}

func (p *parser) got(text string) bool {
	if p.is(text) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) want(text string) {
	if !p.got(text) {
		p.fail("unexpected %s, want '%s'", p.tok, text)
	}
}

func (p *parser) skip(k kind, text string) {
	for p.tok.kind == k || text != "" && p.is(text) {
		p.advance()
	}
}

func (p *parser) item() {
	switch {
	case p.got("BEGIN"):
		p.prog.begin = append(p.prog.begin, p.block())
	case p.got("END"):
		p.prog.end = append(p.prog.end, p.block())
	case p.is("function") || p.is("func"):
		p.advance()
		p.function()
	default:
		r := &rule{}
		if !p.is("{") {
			r.from = p.expr()
			if p.got(",") {
				p.skip(newline, "")
				r.to = p.expr()
			}
		}
		if p.is("{") {
			r.action = p.block()
		} else {
			r.printing = true
		}
		p.prog.rules = append(p.prog.rules, r)
	}
}

func (p *parser) function() {
	if p.tok.kind != name && p.tok.kind != call {
		p.fail("unexpected %s, want a function's name", p.tok)
	}
	id := p.tok.text
	f := &function{}
	p.prog.funcs[id] = f
	p.advance()
	p.want("(")
	for !p.got(")") {
		if p.tok.kind != name {
			p.fail("unexpected %s, want a parameter", p.tok)
		}
		f.params = append(f.params, p.tok.text)
		p.advance()
		p.got(",")
		p.skip(newline, "")
	}
	p.skip(newline, "")
	f.body = p.block()
}

func (p *parser) block() []stmt {
	p.want("{")
	body := []stmt{}
	for p.skip(newline, ";"); !p.got("}"); p.skip(newline, ";") {
		body = append(body, p.stmt())
	}
	return body
}

// body is the statement of an if or a loop.
func (p *parser) body() []stmt {
	p.skip(newline, "")
	if p.got(";") {
		return nil
	}
	return []stmt{p.stmt()}
}

func (p *parser) stmt() stmt {
	defer p.enter()()
	switch {
	case p.is("{"):
		return blockStmt{p.block()}
	case p.got("if"):
		p.want("(")
		s := ifStmt{cond: p.expr()}
		p.want(")")
		s.then = p.body()
		before, tok := p.lex, p.tok
		p.skip(newline, ";")
		if p.got("else") {
			s.alse = p.body()
		} else {
			p.lex, p.tok = before, tok
		}
		return s
	case p.got("while"):
		p.want("(")
		s := loopStmt{cond: p.expr()}
		p.want(")")
		s.body = p.body()
		return s
	case p.got("do"):
		s := loopStmt{checkAfter: true, body: p.body()}
		p.skip(newline, ";")
		p.want("while")
		p.want("(")
		s.cond = p.expr()
		p.want(")")
		return s
	case p.got("for"):
		return p.forStmt()
	}
	s := p.simple()
	if p.tok.kind != newline && p.tok.kind != eof && !p.is("}") {
		p.want(";")
	}
	return s
}

func (p *parser) forStmt() stmt {
	p.want("(")
	if p.tok.kind == name { // for (k in a)
		before, tok := p.lex, p.tok
		v := p.tok.text
		p.advance()
		if p.got("in") && p.tok.kind == name {
			in := p.tok.text
			p.advance()
			if p.got(")") {
				return forInStmt{v: v, in: in, body: p.body()}
			}
		}
		p.lex, p.tok = before, tok
	}
	var s loopStmt
	if !p.is(";") {
		s.init = p.simple()
	}
	p.want(";")
	p.skip(newline, "")
	if !p.is(";") {
		s.cond = p.expr()
	}
	p.want(";")
	p.skip(newline, "")
	if !p.is(")") {
		s.post = p.simple()
	}
	p.want(")")
	s.body = p.body()
	return s
}

func (p *parser) simple() stmt {
	switch {
	case p.is("print") || p.is("printf"):
		return p.print()
	case p.is("break") || p.is("continue") || p.is("next") || p.is("nextfile"):
		word := p.tok.text
		p.advance()
		return jumpStmt{word}
	case p.got("exit"):
		return exitStmt{p.optional()}
	case p.got("return"):
		return returnStmt{p.optional()}
	case p.got("delete"):
		if p.tok.kind != name {
			p.fail("unexpected %s, want an array", p.tok)
		}
		s := deleteStmt{array: p.tok.text}
		p.advance()
		if p.got("[") {
			s.index = p.list("]")
		}
		return s
	}
	return exprStmt{p.expr()}
}

func (p *parser) optional() expr {
	if p.tok.kind == newline || p.tok.kind == eof || p.is(";") || p.is("}") {
		return nil
	}
	return p.expr()
}

func (p *parser) print() stmt {
	s := printStmt{format: p.tok.text == "printf"}
	p.advance()
	p.noGT = true
	if p.tok.kind != newline && p.tok.kind != eof && !p.is(";") && !p.is("}") && !p.is(">") && !p.is(">>") && !p.is("|") {
		s.args = append(s.args, p.expr())
		for p.got(",") {
			p.skip(newline, "")
			s.args = append(s.args, p.expr())
		}
		// print (a, b) > f: what looks like a group is the list of arguments.
		if g, ok := s.args[0].(groupList); ok && len(s.args) == 1 {
			s.args = g
		}
	}
	p.noGT = false
	switch {
	case p.is(">") || p.is(">>"):
		s.append = p.tok.text == ">>"
		p.advance()
		s.to = p.concatenated()
	case p.is("|"):
		p.fail("output to a command is not supported")
	}
	if s.format && len(s.args) == 0 {
		p.fail("printf without a format")
	}
	return s
}

// list reads expressions up to end.
func (p *parser) list(end string) []expr {
	noIn, noGT := p.noIn, p.noGT
	p.noIn, p.noGT = false, false
	var list []expr
	for p.skip(newline, ""); !p.got(end); p.skip(newline, "") {
		if len(list) > 0 {
			p.want(",")
			p.skip(newline, "")
		}
		list = append(list, p.expr())
	}
	p.noIn, p.noGT = noIn, noGT
	return list
}

func (p *parser) regexp(src string) regexExpr {
	re, err := p.compile(src)
	if err != nil {
		p.fail("bad regular expression /%s/", src)
	}
	return regexExpr{re}
}

func (p *parser) number() expr {
	n, err := strconv.ParseFloat(p.tok.text, 64)
	if err != nil {
		p.fail("bad number %s", p.tok)
	}
	p.advance()
	return numberExpr(n)
}
