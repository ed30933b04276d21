package tool

import (
	"slices"
	"strings"
)

func init() {
	tools["env"] = env
	tools["printenv"] = printenv
}

// env is env [-i] [-u NAME] [NAME=VALUE]... [PROG ARGS].
func env(t *T) int {
	environ := slices.Clone(t.Env)
	args := t.Args[1:]
	unset := func(name string) {
		is := func(kv string) bool { return len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name }
		if slices.ContainsFunc(environ, is) {
			environ = slices.DeleteFunc(environ, is)
		}
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if t.ctx.Err() != nil {
			return 1
		}
		switch arg := args[0]; {
		case arg == "-i" || arg == "-" || arg == "--ignore-environment":
			environ = nil
		case arg == "-u" && len(args) > 1:
			args = args[1:]
			unset(args[0])
		case strings.HasPrefix(arg, "-u"):
			unset(arg[2:])
		default:
			return t.usage("[-i] [-u NAME] [NAME=VALUE]... [PROG ARGS]")
		}
		args = args[1:]
	}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		if t.ctx.Err() != nil {
			return 1
		}
		name, _, _ := strings.Cut(args[0], "=")
		unset(name)
		environ = append(environ, args[0])
		args = args[1:]
	}
	if len(args) == 0 {
		for _, kv := range environ {
			t.print(kv + "\n")
		}
		return 0
	}
	t.Env = environ
	return t.exec(args)
}

func printenv(t *T) int {
	if len(t.Args) == 1 {
		return env(t)
	}
	for _, name := range t.Args[1:] {
		found := false
		for _, kv := range t.Env {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				t.print(value + "\n")
				found = true
			}
		}
		if !found {
			t.code = 1
		}
	}
	return 0
}
