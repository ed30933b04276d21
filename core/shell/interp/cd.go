package interp

import (
	"io/fs"
	"path"
	"syscall"
)

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
	if err := s.p.FS.Access(dir, 1); err != nil {
		return err
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
