package interp

import (
	"sync"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

func (s *Shell) stmts(stmts []*syntax.Stmt) {
	for _, stmt := range stmts {
		s.stmt(stmt)
	}
}

// stopped tells whether no further command may start; traps that are due run here. All loops
// ask it, and thereby yield.
func (s *Shell) stopped() bool {
	if s.leaving() || s.ctx.Err() != nil {
		return true
	}
	s.runTraps()
	return s.leaving()
}

func (s *Shell) leaving() bool {
	return s.exiting || s.returning || s.breaks > 0 || s.continues > 0
}

// fail is errorf that also sets $?.
func (s *Shell) fail(status int, format string, args ...any) {
	s.errorf(format, args...)
	s.status = status
}

func (s *Shell) stmt(st *syntax.Stmt) {
	if s.stopped() || s.opts[optNoExec] || !s.nested() {
		return
	}
	defer s.while(nestMemory)()
	defer func() { s.nest-- }()
	if st.Coprocess {
		s.fail(2, "coprocesses are not supported")
		return
	}
	if st.Background {
		s.background(st)
		return
	}
	s.foreground(st)
}

// foreground runs one statement with its redirections; errexit is decided here.
func (s *Shell) foreground(st *syntax.Stmt) {
	saved := s.fds
	defer s.forget(len(s.substitutes))
	opened, err := s.redirect(st.Redirs)
	if err != nil {
		s.fail(1, "%v", err)
	} else if st.Cmd != nil {
		s.command(st.Cmd, st.Negated)
	} else {
		s.status = 0
	}
	if call, ok := st.Cmd.(*syntax.CallExpr); ok && err == nil && isBareExec(call) {
		s.letRun()
		return // exec >file: the redirections stay
	}
	s.fds = saved
	for _, st := range opened {
		st.release()
	}
	if st.Negated {
		if !s.exiting {
			s.status = oneIf(s.status == 0)
		}
		return
	}
	if list, ok := st.Cmd.(*syntax.BinaryCmd); ok && (list.Op == syntax.AndStmt || list.Op == syntax.OrStmt) {
		return
	}
	if s.status != 0 && !s.condition && !s.leaving() {
		if action := s.traps["ERR"]; action != "" {
			s.runTrap(action)
		}
		if s.opts[optErrExit] {
			s.exiting = true
		}
	}
}

// isBareExec tells whether a call is `exec` without a command.
func isBareExec(call *syntax.CallExpr) bool {
	return len(call.Args) == 1 && call.Args[0].Lit() == "exec"
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inCondition runs what if, while, && and ! look at, where errexit does not count.
func (s *Shell) inCondition(run func()) {
	saved := s.condition
	s.condition = true
	run()
	s.condition = saved
}

func (s *Shell) command(cmd syntax.Command, negated bool) {
	if negated {
		s.inCondition(func() { s.command(cmd, false) })
		return
	}
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		s.call(cmd)
	case *syntax.Block:
		s.stmts(cmd.Stmts)
	case *syntax.Subshell:
		sub, end, ok := s.fork()
		if !ok {
			return
		}
		defer end()
		sub.stmts(cmd.Stmts)
		sub.exitTrap()
		s.status = sub.status
	case *syntax.BinaryCmd:
		s.binary(cmd)
	case *syntax.IfClause:
		s.ifClause(cmd)
	case *syntax.WhileClause:
		s.whileClause(cmd)
	case *syntax.ForClause:
		s.forClause(cmd)
	case *syntax.CaseClause:
		s.caseClause(cmd)
	case *syntax.FuncDecl:
		if cmd.Name == nil { // () command: zsh's, which the parser takes
			s.fail(2, "syntax error: a function without a name")
			return
		}
		s.declareFunc(cmd.Name.Value, cmd.Body)
		s.status = 0
	case *syntax.ArithmCmd:
		s.status = oneIf(s.arithmetic(cmd.X) == 0)
	case *syntax.LetClause:
		value := 0
		for _, expr := range cmd.Exprs {
			if word, ok := expr.(*syntax.Word); ok { // let 'x = 1'
				value = s.arithmeticText(s.literal(word))
			} else {
				value = s.arithmetic(expr)
			}
		}
		s.status = oneIf(value == 0)
	case *syntax.TestClause:
		s.status = 0
		ok := s.testExpr(cmd.X)
		if s.status == 0 {
			s.status = oneIf(!ok)
		}
	case *syntax.DeclClause:
		s.declare(cmd)
	case *syntax.TimeClause:
		start := time.Now()
		if cmd.Stmt != nil {
			s.stmt(cmd.Stmt)
		}
		s.printTimes(time.Since(start), cmd.PosixFormat)
	default:
		s.fail(2, "%T is not supported", cmd)
	}
}

func (s *Shell) binary(cmd *syntax.BinaryCmd) {
	switch cmd.Op {
	case syntax.AndStmt, syntax.OrStmt:
		s.inCondition(func() { s.stmt(cmd.X) })
		if !s.leaving() && (s.status == 0) == (cmd.Op == syntax.AndStmt) {
			s.stmt(cmd.Y)
		}
	default:
		s.pipeline(cmd)
	}
}

// pipeline runs X | Y: both in subshells, X beside Y.
func (s *Shell) pipeline(cmd *syntax.BinaryCmd) {
	x, endX, ok := s.fork()
	if !ok {
		return
	}
	y, endY, ok := s.fork()
	if !ok {
		endX()
		return
	}
	defer endY()
	defer s.while(2 * pipeSize)()
	p, stop := newPipe(s.plain)
	defer stop()
	x.fds[1] = stream{w: pipeWriter{p}}
	if cmd.Op == syntax.PipeAll {
		x.fds[2] = x.fds[1]
	}
	y.fds[0] = stream{r: pipeReader{p}}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer endX()
		defer p.closeWrite()
		x.guard(func() {
			x.stmt(cmd.X)
			x.exitTrap()
		})
	})
	y.guard(func() {
		y.stmt(cmd.Y)
		y.exitTrap()
	})
	_ = pipeReader{p}.Close()
	wg.Wait()
	s.status = y.status
	if s.opts[optPipeFail] && s.status == 0 {
		s.status = x.status
	}
}

func (s *Shell) ifClause(cmd *syntax.IfClause) {
	for ; cmd != nil; cmd = cmd.Else {
		if len(cmd.Cond) > 0 {
			s.inCondition(func() { s.stmts(cmd.Cond) })
			if s.leaving() {
				return
			}
			if s.status != 0 {
				s.status = 0
				continue
			}
		}
		s.stmts(cmd.Then)
		return
	}
}

// loop runs the body of a loop once; false leaves the loop.
func (s *Shell) loop(body []*syntax.Stmt) bool {
	s.loops++
	s.stmts(body)
	s.loops--
	switch {
	case s.breaks > 0:
		s.breaks--
		return false
	case s.continues > 0:
		s.continues--
		return s.continues == 0
	}
	return !s.leaving()
}

func (s *Shell) whileClause(cmd *syntax.WhileClause) {
	status := 0
	for !s.stopped() {
		s.loops++ // POSIX: break in the condition leaves this loop
		s.inCondition(func() { s.stmts(cmd.Cond) })
		s.loops--
		if s.breaks > 0 || s.continues > 0 {
			if !s.loop(nil) {
				break
			}
			continue
		}
		if s.leaving() {
			return
		}
		if (s.status == 0) == cmd.Until {
			break
		}
		s.status = 0
		again := s.loop(cmd.Do)
		status = s.status
		if !again {
			break
		}
	}
	if !s.exiting && !s.returning { // as a trap between two rounds may have it
		s.status = status
	}
}

func (s *Shell) forClause(cmd *syntax.ForClause) {
	if cmd.Select {
		s.fail(2, "select is not supported")
		return
	}
	switch l := cmd.Loop.(type) {
	case *syntax.WordIter:
		items := s.params
		if l.InPos.IsValid() {
			items = s.fields(l.Items...)
		}
		if s.leaving() {
			return
		}
		defer s.while(sizeOfList(items))()
		s.status = 0
		for _, item := range items {
			if s.stopped() || !s.setVar(l.Name.Value, item) || !s.loop(cmd.Do) {
				return
			}
		}
	case *syntax.CStyleLoop:
		s.status = 0
		if l.Init != nil {
			s.arithmetic(l.Init)
		}
		for !s.stopped() && (l.Cond == nil || s.arithmetic(l.Cond) != 0) {
			if s.leaving() || !s.loop(cmd.Do) {
				return
			}
			if l.Post != nil {
				s.arithmetic(l.Post)
			}
		}
	}
}

func (s *Shell) caseClause(cmd *syntax.CaseClause) {
	word := s.literal(cmd.Word)
	if s.leaving() {
		return
	}
	s.status = 0
	through := false
	for _, item := range cmd.Items {
		matched := through
		for _, p := range item.Patterns {
			if !matched {
				matched = s.match(p, word)
			}
		}
		if !matched {
			continue
		}
		s.stmts(item.Stmts)
		if item.Op == syntax.Break || s.leaving() {
			return
		}
		through = item.Op == syntax.Fallthrough
	}
}

// declareFunc keeps a function.
func (s *Shell) declareFunc(name string, body *syntax.Stmt) {
	size := int(body.End().Offset()-body.Pos().Offset()) * sourceMemory
	if s.kept.Grow(size-s.funcSizes[name]) == nil {
		s.funcs[name], s.funcSizes[name] = body, size
	}
}

func (s *Shell) printTimes(d time.Duration, posix bool) {
	format := "\nreal\t%dm%.3fs\nuser\t0m0.000s\nsys\t0m0.000s\n"
	args := []any{int(d.Minutes()), (d % time.Minute).Seconds()}
	if posix {
		format, args = "real %.2f\nuser 0.00\nsys 0.00\n", []any{d.Seconds()}
	}
	fprintf(s.stderr(), format, args...)
}
