package interp

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"

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
		"mapfile": mapfile, "readarray": mapfile, "shopt": shopt, "pushd": pushd, "popd": popd, "dirs": dirs,
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
		s.setParams(slices.Clone(rest))
		s.set = true
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
	s.setParams(s.params[n:])
	return 0
}

func times(s *Shell, _ []string) int {
	s.print("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n")
	return 0
}

func umask(s *Shell, args []string) int {
	if len(args) == 1 {
		s.print(fmt.Sprintf("%04o\n", s.p.FS.Umask()))
		return 0
	}
	mask, err := strconv.ParseUint(args[1], 8, 32)
	if err != nil || mask > 0o777 {
		s.errorf("umask: illegal mode: %s", args[1])
		return 1
	}
	own := *s.p // a subshell's umask is its own
	own.FS = own.FS.WithUmask(fs.FileMode(mask))
	s.p = &own
	return 0
}

func ulimit(s *Shell, _ []string) int {
	s.print("unlimited\n")
	return 0
}

// programs are those that a command's name can mean: those that the system names, and the files in PATH.
func (s *Shell) programs() []string {
	names := map[string]bool{}
	for _, name := range s.p.Programs {
		names[name] = true
	}
	for dir := range strings.SplitSeq(s.lookup("PATH").String(), ":") {
		entries, err := s.p.FS.ReadDir(s.abs(dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if _, err := s.find(e.Name()); err == nil {
				names[e.Name()] = true
			}
		}
	}
	for name := range names {
		if _, isBuiltin := builtins[name]; isBuiltin || s.p.Absent != nil && s.p.Absent(name) {
			delete(names, name)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// columns are words in lines of a terminal's width.
func columns(words []string) string {
	const width = 72
	var b strings.Builder
	column := 0
	for _, word := range words {
		switch {
		case column == 0:
			b.WriteByte('\t')
		case column+1+len(word) > width:
			b.WriteString("\n\t")
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}
