package interp

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
