package interp

import (
	"slices"
	"strings"
)

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
			s.Alias(name, value)
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
