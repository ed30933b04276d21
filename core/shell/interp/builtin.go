package interp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// builtins are the commands that are part of the shell; args[0] is the name.
var builtins map[string]func(s *Shell, args []string) int

func init() { // not a literal: eval and the like refer to it
	builtins = map[string]func(s *Shell, args []string) int{
		":": succeed, "true": succeed, "false": func(*Shell, []string) int { return 1 },
		".": dot, "source": dot, "[": test, "alias": alias, "bg": bg, "break": leave, "builtin": command,
		"cd": cd, "chdir": cd, "command": command, "continue": leave, "echo": echo, "eval": eval,
		"exec": exec, "exit": exit, "fg": fg, "getopts": getopts, "hash": succeed, "help": help,
		"jobs": listJobs, "kill": kill, "printf": printf, "pwd": pwd, "read": read, "return": doReturn,
		"set": set, "shift": shift, "test": test, "times": times, "trap": trap, "type": typeOf,
		"ulimit": ulimit, "umask": umask, "unalias": unalias, "unset": unset, "wait": wait,
		"mapfile": mapfile, "readarray": mapfile, "shopt": succeed, "pushd": pushd, "popd": popd, "dirs": dirs,
	}
}

// Builtin gives a builtin as a program of its own, as /bin/echo and /bin/test are.
func Builtin(name string) program.Program {
	return func(ctx context.Context, p *program.Process) int {
		s := New(ctx, p)
		s.name = name
		stop := s.begin(ctx)
		defer stop()
		args := slices.Clone(p.Args)
		args[0] = name
		return builtins[name](s, args)
	}
}

func succeed(*Shell, []string) int { return 0 }

func dot(s *Shell, args []string) int {
	if len(args) < 2 {
		s.errorf("%s: filename argument required", args[0])
		return 2
	}
	name := args[1]
	file := s.abs(name)
	if !strings.Contains(name, "/") {
		for dir := range strings.SplitSeq(s.lookup("PATH").String(), ":") {
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

func alias(s *Shell, args []string) int {
	if len(args) == 1 {
		names := make([]string, 0, len(s.aliases))
		for name := range s.aliases {
			names = append(names, name)
		}
		slices.Sort(names)
		args = append(args, names...)
	}
	status := 0
	for _, arg := range args[1:] {
		if name, value, ok := strings.Cut(arg, "="); ok {
			s.aliases[name] = value
		} else if value, ok := s.aliases[name]; ok {
			s.printf("%s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
		} else {
			s.errorf("alias: %s not found", name)
			status = 1
		}
	}
	return status
}

func unalias(s *Shell, args []string) int {
	status := 0
	for _, name := range args[1:] {
		if name == "-a" {
			clear(s.aliases)
		} else if _, ok := s.aliases[name]; ok {
			delete(s.aliases, name)
		} else {
			s.errorf("unalias: %s not found", name)
			status = 1
		}
	}
	return status
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

// command is command [-p] [-v|-V] name…, and builtin name….
func command(s *Shell, args []string) int {
	name := args[0]
	args = args[1:]
	describe := byte(0)
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && name == "command" {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		for _, letter := range []byte(args[0][1:]) {
			switch letter {
			case 'v', 'V':
				describe = letter
			case 'p':
			default:
				s.errorf("command: illegal option -%c", letter)
				return 2
			}
		}
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return 0
	case describe == 'V':
		return typeOf(s, append([]string{"type"}, args...))
	case describe == 'v':
		status := 0
		for _, arg := range args {
			if text, ok := s.describe(arg, true); ok {
				s.printf("%s\n", text)
			} else {
				status = notFound
			}
		}
		return status
	case name == "builtin" && builtins[args[0]] == nil:
		s.errorf("builtin: %s: not a shell builtin", args[0])
		return 1
	}
	s.status = 0
	s.runPlain(args)
	return s.status
}

// describe tells what a command's name stands for: for command -v, or in words.
func (s *Shell) describe(name string, brief bool) (string, bool) {
	if value, ok := s.aliases[name]; ok {
		if brief {
			return fmt.Sprintf("alias %s='%s'", name, value), true
		}
		return fmt.Sprintf("%s is an alias for %s", name, value), true
	}
	what, where := "", ""
	switch {
	case syntax.IsKeyword(name):
		what = "a shell keyword"
	case s.funcs[name] != nil:
		what = "a function"
	case builtins[name] != nil:
		what = "a shell builtin"
	default:
		var ok bool
		if where, ok = s.which(name); !ok {
			return "", false
		}
		what = where
	}
	if !brief {
		return name + " is " + what, true
	}
	if where != "" {
		return where, true
	}
	return name, true
}

func typeOf(s *Shell, args []string) int {
	status := 0
	args = args[1:]
	kind := len(args) > 0 && args[0] == "-t"
	if kind {
		args = args[1:]
	}
	for _, name := range args {
		if kind {
			word := s.kind(name)
			if word == "" {
				status = 1
			} else {
				s.printf("%s\n", word)
			}
			continue
		}
		if text, ok := s.describe(name, false); ok {
			s.printf("%s\n", text)
		} else {
			s.printf("%s: not found\n", name)
			status = notFound
		}
	}
	return status
}

// kind is what a command's name stands for, in bash's word for type -t.
func (s *Shell) kind(name string) string {
	switch {
	case s.aliases[name] != "":
		return "alias"
	case syntax.IsKeyword(name):
		return "keyword"
	case s.funcs[name] != nil:
		return "function"
	case builtins[name] != nil:
		return "builtin"
	}
	if _, ok := s.which(name); ok {
		return "file"
	}
	return ""
}

func cd(s *Shell, args []string) int {
	physical := false
	args = args[1:]
	for len(args) > 0 && (args[0] == "-P" || args[0] == "-L" || args[0] == "--") {
		physical = args[0] == "-P"
		args = args[1:]
	}
	to, show := "", false
	switch {
	case len(args) > 1:
		s.errorf("cd: too many arguments")
		return 1
	case len(args) == 0:
		if to = s.lookup("HOME").String(); to == "" {
			to = "/"
		}
	case args[0] == "-":
		if to = s.lookup("OLDPWD").String(); to == "" {
			s.errorf("cd: OLDPWD not set")
			return 1
		}
		show = true
	default:
		to = args[0]
	}
	if err := s.chdir(to, physical); err != nil {
		s.errorf("cd: can't cd to %s: %s", to, reason(err))
		return 1
	}
	if show {
		s.printf("%s\n", s.dir)
	}
	return 0
}

func (s *Shell) chdir(to string, physical bool) error {
	dir := s.abs(path.Clean(to))
	if to == "" {
		dir = s.dir
	}
	info, err := s.p.FS.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "chdir", Path: to, Err: syscall.ENOTDIR}
	}
	if physical {
		if dir, err = s.p.FS.RealPath(dir); err != nil {
			return err
		}
	}
	s.setVar("OLDPWD", s.dir)
	s.setVar("PWD", dir)
	s.dir = dir
	return nil
}

func pwd(s *Shell, args []string) int {
	dir := s.dir
	for _, arg := range args[1:] {
		switch arg {
		case "-L":
			dir = s.dir
		case "-P":
			if real, err := s.p.FS.RealPath(s.dir); err == nil {
				dir = real
			}
		default:
			s.errorf("pwd: illegal option %s", arg)
			return 2
		}
	}
	s.printf("%s\n", dir)
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
	file, err := syntax.NewParser().Parse(r, "")
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

func set(s *Shell, args []string) int {
	if len(args) == 1 {
		s.scope.each(func(name string, v expand.Variable) bool {
			if v.IsSet() && v.Kind == expand.String {
				s.printf("%s=%s\n", name, quote(v.Str))
			}
			return true
		})
		return 0
	}
	rest, given, err := s.setArgs(args[1:])
	if err != nil {
		s.errorf("set: %v", err)
		return 2
	}
	if given {
		s.params, s.set = slices.Clone(rest), true
	}
	return 0
}

func shift(s *Shell, args []string) int {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 0 {
			s.errorf("shift: Illegal number: %s", args[1])
			return 2
		}
	}
	if n > len(s.params) {
		return 1
	}
	s.params = s.params[n:]
	return 0
}

func unset(s *Shell, args []string) int {
	vars, funcs := true, true
	status := 0
	for _, name := range args[1:] {
		switch {
		case name == "-v":
			funcs = false
		case name == "-f":
			vars = false
		case name == "":
		case vars && s.scope.find(name) != nil:
			if err := s.assign(name, expand.Variable{}); err != nil {
				s.errorf("unset: %s: %v", name, err)
				status = 1
			}
		case funcs:
			delete(s.funcs, name)
		}
	}
	return status
}

func times(s *Shell, _ []string) int {
	s.print("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n")
	return 0
}

func umask(s *Shell, args []string) int {
	if len(args) == 1 {
		s.print("0022\n")
	}
	return 0
}

func ulimit(s *Shell, _ []string) int {
	s.print("unlimited\n")
	return 0
}

func help(s *Shell, _ []string) int {
	names := make([]string, 0, len(builtins))
	for name := range builtins {
		names = append(names, name)
	}
	slices.Sort(names)
	s.printf("Built-in commands:\n\t%s\n", strings.Join(names, " "))
	return 0
}

func kill(s *Shell, args []string) int {
	sig := program.SIGTERM
	args = args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		name := args[0][1:]
		args = args[1:]
		switch name {
		case "l", "L":
			for n := program.Signal(1); n < 32; n++ {
				s.printf("%2d) %s\n", n, n.Name())
			}
			return 0
		case "-":
			continue
		case "s", "n":
			if len(args) == 0 {
				s.errorf("kill: -%s: argument expected", name)
				return 2
			}
			name, args = args[0], args[1:]
		}
		var ok bool
		if sig, ok = program.ParseSignal(name); !ok {
			s.errorf("kill: bad signal name '%s'", name)
			return 1
		}
	}
	if len(args) == 0 {
		s.errorf("kill: you need to specify whom to kill")
		return 1
	}
	status := 0
	for _, arg := range args {
		pid, err := strconv.Atoi(arg)
		if job := s.jobs.find(arg); job != nil {
			pid, err = job.pid, nil
		}
		if err != nil {
			s.errorf("kill: invalid number '%s'", arg)
			status = 1
			continue
		}
		if err := s.p.Table.Signal(pid, sig); err != nil {
			what := reason(err)
			if !errors.Is(err, syscall.EPERM) {
				what = "No such process"
			}
			s.errorf("kill: can't kill pid %d: %s", pid, what)
			status = 1
		}
	}
	return status
}

func listJobs(s *Shell, args []string) int {
	for _, job := range s.jobs.all() {
		state := "Running"
		select {
		case <-job.done:
			state = doneText(job.status)
			s.jobs.remove(job)
		default:
		}
		if len(args) > 1 && args[1] == "-p" {
			s.printf("%d\n", job.pid)
		} else {
			s.printf("[%d]+  %s\t%s\n", job.number, state, job.text)
		}
	}
	return 0
}

func fg(s *Shell, args []string) int {
	spec := "%%"
	if len(args) > 1 {
		spec = args[1]
	}
	job := s.jobs.find(spec)
	if job == nil {
		s.errorf("%s: no such job", args[0])
		return 2
	}
	s.printf("%s\n", job.text)
	signals, ended := s.signals.child()
	defer func() { ended(s.status) }()
	for {
		select {
		case sig := <-signals:
			_ = s.p.Table.Signal(job.pid, sig)
		case <-job.done:
			s.jobs.remove(job)
			return job.status
		case <-s.plain.Done():
			return 128 + int(program.SIGINT)
		}
	}
}

func bg(s *Shell, args []string) int {
	if s.jobs.find("%%") == nil {
		s.errorf("bg: no current job")
		return 2
	}
	return 0 // no job can be stopped, so all of them run
}

func wait(s *Shell, args []string) int {
	if len(args) == 1 {
		for _, job := range s.jobs.all() {
			s.wait(job)
			if s.ctx.Err() != nil || s.signals.due() {
				return 128 + int(program.SIGTERM)
			}
		}
		return 0
	}
	status := 0
	for _, spec := range args[1:] {
		job := s.jobs.find(spec)
		if job == nil {
			s.errorf("wait: pid %s is not a child of this shell", spec)
			status = notFound
			continue
		}
		status = s.wait(job)
	}
	return status
}
