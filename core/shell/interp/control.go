package interp

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func dot(s *Shell, args []string) int {
	if len(args) < 2 {
		s.errorf("%s: filename argument required", args[0])
		return 2
	}
	name := args[1]
	file := s.abs(name)
	if !strings.Contains(name, "/") {
		for dir := range strings.SplitSeq(s.lookup("PATH").String(), ":") {
			if s.ctx.Err() != nil {
				break
			}
			in := s.abs(path.Join(dir, name))
			if info, err := s.p.FS.Stat(in); err == nil && info.Mode().IsRegular() {
				file = in
				break
			}
		}
	}
	f, err := s.process(s.plain).Open(file)
	if err != nil {
		s.errorf("%s: can't open '%s': %s", args[0], name, reason(err))
		s.exiting = !s.opts[optInteractive] && s.file != ""
		return 2
	}
	defer f.Close()
	savedSet := s.set
	if s.set = false; len(args) > 2 {
		saved := s.params
		s.params = args[2:]
		defer func() {
			if !s.set { // what a sourced file sets stays
				s.params = saved
			}
			s.set = savedSet || s.set
		}()
	}
	s.status = 0
	s.sources++
	s.source(f)
	s.sources--
	s.returning = false
	return s.status
}

// leave is break and continue.
func leave(s *Shell, args []string) int {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 1 {
			s.errorf("%s: bad number: %s", args[0], args[1])
			return 2
		}
	}
	if n = min(n, s.loops); args[0] == "break" {
		s.breaks = n
	} else {
		s.continues = n
	}
	return 0
}

func eval(s *Shell, args []string) int {
	text := strings.Join(args[1:], " ")
	s.status = 0
	s.eval(text)
	return s.status
}

// source runs what r holds in this shell.
func (s *Shell) source(r interface{ Read([]byte) (int, error) }) {
	if s.calls+s.sources >= maxCalls {
		s.fail(2, "nested too deeply")
		s.exiting = true
		return
	}
	s.sources++
	defer func() { s.sources-- }()
	src := s.newScript(r)
	defer src.held.Free()
	file, err := syntax.NewParser().Parse(src, "")
	if err != nil {
		s.fail(2, "%s", parseError(err))
		return
	}
	s.stmts(file.Stmts)
}

func exec(s *Shell, args []string) int {
	if len(args) == 1 {
		return 0
	}
	s.status = 0
	s.program(args[1:])
	s.exiting = true
	delete(s.traps, "EXIT")
	return s.status
}

func exit(s *Shell, args []string) int {
	status := s.status
	if len(args) > 1 {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			s.errorf("exit: Illegal number: %s", args[1])
			n = 2
		}
		status = n & 0xff
	}
	s.exiting = true
	return status
}

func doReturn(s *Shell, args []string) int {
	status := s.status
	if len(args) > 1 {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			s.errorf("return: Illegal number: %s", args[1])
			n = 2
		}
		status = n & 0xff
	}
	if s.calls == 0 && s.sources == 0 {
		s.exiting = true // as ash does at the top
	} else {
		s.returning = true
	}
	return status
}
