package interp

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// testError is a mistake in an expression of test, for which it returns 2.
type testError string

func (e testError) Error() string { return string(e) }

// test is the builtin test and [, by POSIX' rules for up to four arguments, and by
// precedence for more.
func test(s *Shell, args []string) int {
	name, args := args[0], args[1:]
	if name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			s.errorf("[: missing ]")
			return 2
		}
		args = args[:len(args)-1]
	}
	t := &testArgs{s: s, args: args}
	ok, err := t.expression(len(args))
	if err == nil && len(t.args) > 0 {
		err = testError(t.args[0] + ": unknown operand")
	}
	if err != nil {
		s.errorf("%s: %v", name, err)
		return 2
	}
	return oneIf(!ok)
}

// maxParens bounds the parentheses of one test, in which it recurses.
const maxParens = 1000

type testArgs struct {
	depth int // parentheses that have been opened
	s     *Shell
	args  []string
}

func (t *testArgs) next() string {
	arg := t.args[0]
	t.args = t.args[1:]
	return arg
}

func (t *testArgs) peek(i int) string {
	if i < len(t.args) {
		return t.args[i]
	}
	return ""
}

// expression decides by the number of arguments what they mean.
func (t *testArgs) expression(n int) (bool, error) {
	switch {
	case n == 0:
		return false, nil
	case n == 1:
		return t.next() != "", nil
	case n == 2 && t.peek(0) == "!":
		t.next()
		return t.next() == "", nil
	case n == 3 && isBinary(t.peek(1)):
		x, op, y := t.next(), t.next(), t.next()
		return t.s.testBinary(op, x, y)
	case n == 3 && t.peek(0) == "(" && t.peek(2) == ")":
		t.next()
		ok := t.next() != ""
		t.next()
		return ok, nil
	case (n == 3 || n == 4) && t.peek(0) == "!":
		t.next()
		ok, err := t.expression(n - 1)
		return !ok, err
	}
	return t.or()
}

func (t *testArgs) or() (bool, error) {
	ok, err := t.and()
	for err == nil && t.peek(0) == "-o" {
		t.next()
		var right bool
		right, err = t.and()
		ok = ok || right
	}
	return ok, err
}

func (t *testArgs) and() (bool, error) {
	ok, err := t.not()
	for err == nil && t.peek(0) == "-a" {
		t.next()
		var right bool
		right, err = t.not()
		ok = ok && right
	}
	return ok, err
}

func (t *testArgs) not() (bool, error) {
	negated := false
	for t.peek(0) == "!" && len(t.args) > 1 { // a loop: there may be as many as there is memory
		t.next()
		negated = !negated
	}
	ok, err := t.primary()
	return ok != negated, err
}

func (t *testArgs) primary() (bool, error) {
	switch {
	case len(t.args) == 0:
		return false, testError("argument expected")
	case len(t.args) > 2 && isBinary(t.peek(1)):
		x, op, y := t.next(), t.next(), t.next()
		return t.s.testBinary(op, x, y)
	case t.peek(0) == "(":
		if t.depth++; t.depth > maxParens {
			return false, testError(errNested.Error())
		}
		t.next()
		ok, err := t.or()
		if err != nil {
			return false, err
		}
		if len(t.args) == 0 || t.next() != ")" {
			return false, testError("closing paren expected")
		}
		return ok, nil
	case len(t.args) > 1 && isUnary(t.peek(0)):
		op, x := t.next(), t.next()
		return t.s.testUnary(op, x)
	}
	return t.next() != "", nil
}

func isBinary(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func isUnary(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("bcdefghkLnNoOGprRsStuvwxza", op[1]) >= 0
}

func (s *Shell) testBinary(op, x, y string) (bool, error) {
	switch op {
	case "=", "==":
		return x == y, nil
	case "!=":
		return x != y, nil
	case "<":
		return x < y, nil
	case ">":
		return x > y, nil
	case "-nt", "-ot":
		a, errA := s.p.FS.Stat(s.abs(x))
		b, errB := s.p.FS.Stat(s.abs(y))
		if op == "-ot" {
			a, b, errA, errB = b, a, errB, errA
		}
		if errA != nil || errB != nil {
			return errA == nil, nil // POSIX: one that is there is newer than one that is not
		}
		return a.ModTime().After(b.ModTime()), nil
	case "-ef":
		return s.p.FS.SameFile(s.abs(x), s.abs(y)), nil
	}
	a, err := number(x)
	if err != nil {
		return false, err
	}
	b, err := number(y)
	if err != nil {
		return false, err
	}
	switch op {
	case "-eq":
		return a == b, nil
	case "-ne":
		return a != b, nil
	case "-lt":
		return a < b, nil
	case "-le":
		return a <= b, nil
	case "-gt":
		return a > b, nil
	case "-ge":
		return a >= b, nil
	}
	return false, testError(op + ": unknown operand")
}

func number(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, testError(text + ": bad number")
	}
	return n, nil
}

func (s *Shell) testUnary(op, x string) (bool, error) {
	switch op {
	case "-z":
		return x == "", nil
	case "-n":
		return x != "", nil
	case "-t":
		fd, err := strconv.Atoi(x)
		return err == nil && fd >= 0 && fd < 3 && s.p.Terminal != nil && s.fds[fd] == s.streams[fd], nil
	case "-v":
		return s.lookup(x).IsSet(), nil
	case "-R":
		return s.lookup(x).Kind == expand.NameRef, nil
	case "-o":
		for i, opt := range optionTable {
			if opt.name == x {
				return s.opts[i], nil
			}
		}
		return false, nil
	case "-h", "-L":
		info, err := s.p.FS.Lstat(s.abs(x))
		return err == nil && info.Mode()&fs.ModeSymlink != 0, nil
	}
	if x == "" {
		return false, nil
	}
	if strings.HasSuffix(x, "/") && op != "-d" && op != "-e" && op != "-x" {
		x += "."
	}
	info, err := s.p.FS.Stat(s.p.Path(s.abs(x)))
	if err != nil {
		return false, nil
	}
	mode := info.Mode()
	switch op {
	case "-e", "-a":
		return true, nil
	case "-O":
		return program.AttributesOf(info).UID == s.p.FS.Credentials().EUID, nil
	case "-G":
		return program.AttributesOf(info).GID == s.p.FS.Credentials().EGID, nil
	case "-r":
		return s.p.FS.Access(s.p.Path(s.abs(x)), 4) == nil, nil
	case "-w":
		return s.p.FS.Access(s.p.Path(s.abs(x)), 2) == nil, nil
	case "-f":
		return mode.IsRegular(), nil
	case "-d":
		return mode.IsDir(), nil
	case "-x":
		return s.p.FS.Access(s.p.Path(s.abs(x)), 1) == nil, nil
	case "-s":
		return info.Size() > 0, nil
	case "-b":
		return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0, nil
	case "-c":
		return mode&fs.ModeCharDevice != 0, nil
	case "-p":
		return mode&fs.ModeNamedPipe != 0, nil
	case "-S":
		return mode&fs.ModeSocket != 0, nil
	case "-u":
		return mode&fs.ModeSetuid != 0, nil
	case "-g":
		return mode&fs.ModeSetgid != 0, nil
	case "-k":
		return mode&fs.ModeSticky != 0, nil
	}
	return false, testError(op + ": unknown operand")
}

// testExpr is [[ ]].
func (s *Shell) testExpr(expr syntax.TestExpr) bool {
	var ok bool
	var err error
	switch x := expr.(type) {
	case *syntax.Word:
		return s.literal(x) != ""
	case *syntax.ParenTest:
		return s.testExpr(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return !s.testExpr(x.X)
		}
		word, _ := x.X.(*syntax.Word)
		ok, err = s.testUnary(x.Op.String(), s.literal(word))
	case *syntax.BinaryTest:
		ok, err = s.testExprBinary(x)
	}
	if err != nil {
		s.fail(2, "[[: %v", err)
	}
	return ok
}

func (s *Shell) testExprBinary(x *syntax.BinaryTest) (bool, error) {
	switch x.Op {
	case syntax.AndTest:
		return s.testExpr(x.X) && s.testExpr(x.Y), nil
	case syntax.OrTest:
		return s.testExpr(x.X) || s.testExpr(x.Y), nil
	}
	left, okX := x.X.(*syntax.Word)
	right, okY := x.Y.(*syntax.Word)
	if !okX || !okY {
		return false, testError("syntax error")
	}
	text := s.literal(left)
	switch x.Op {
	case syntax.TsMatchShort, syntax.TsMatch:
		return s.match(right, text), nil
	case syntax.TsNoMatch:
		return !s.match(right, text), nil
	case syntax.TsReMatch:
		return s.matchExpr(right, text)
	case syntax.TsBefore:
		return text < s.literal(right), nil
	case syntax.TsAfter:
		return text > s.literal(right), nil
	}
	op, y := x.Op.String(), s.literal(right)
	if strings.HasPrefix(op, "-") && op != "-nt" && op != "-ot" && op != "-ef" {
		text, y = strconv.Itoa(s.arithmeticText(text)), strconv.Itoa(s.arithmeticText(y))
	}
	return s.testBinary(op, text, y)
}

// arithmeticText evaluates text as an arithmetic expression, as [[ does for -eq and the like.
func (s *Shell) arithmeticText(text string) int {
	src := s.newScript(strings.NewReader(text))
	defer src.held.Free()
	expr, err := syntax.NewParser().Arithmetic(src)
	if errors.Is(err, errNested) {
		s.expansionFailed(errNested)
	}
	if err != nil || expr == nil {
		return 0
	}
	return s.arithmetic(expr)
}
