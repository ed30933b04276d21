package interp

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// pushd, popd and dirs keep a stack of directories below the working directory.
func pushd(s *Shell, args []string) int {
	from, to := s.dir, ""
	switch {
	case len(args) > 1:
		to = args[1]
	case len(s.dirStack) > 0:
		to = s.dirStack[len(s.dirStack)-1]
		s.dirStack = s.dirStack[:len(s.dirStack)-1]
	default:
		s.errorf("pushd: no other directory")
		return 1
	}
	if err := s.chdir(to, false); err != nil {
		s.errorf("pushd: %s: %s", to, reason(err))
		return 1
	}
	_ = s.kept.Grow(len(from) + program.StringMemory)
	s.dirStack = append(s.dirStack, from)
	return dirs(s, nil)
}

func popd(s *Shell, _ []string) int {
	if len(s.dirStack) == 0 {
		s.errorf("popd: directory stack empty")
		return 1
	}
	to := s.dirStack[len(s.dirStack)-1]
	s.dirStack = s.dirStack[:len(s.dirStack)-1]
	if err := s.chdir(to, false); err != nil {
		s.errorf("popd: %s: %s", to, reason(err))
		return 1
	}
	return dirs(s, nil)
}

func dirs(s *Shell, _ []string) int {
	list := []string{s.dir}
	for i := len(s.dirStack) - 1; i >= 0; i-- {
		list = append(list, s.dirStack[i])
	}
	s.printf("%s\n", strings.Join(list, " "))
	return 0
}
