package interp

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"
)

// helpTexts are how each builtin is called here, and what it does. Those that have no function of their own are
// words of the shell's grammar.
var helpTexts = map[string][2]string{
	".":         {"filename [argument ...]", "Run the commands of a file in this shell."},
	":":         {"", "Do nothing."},
	"[":         {"expression ]", "As test."},
	"alias":     {"[name[=value] ...]", "Define aliases, or print them."},
	"bg":        {"[job ...]", "Let stopped jobs go on in the background."},
	"break":     {"[n]", "Leave loops."},
	"builtin":   {"name [argument ...]", "Run a builtin."},
	"cd":        {"[-LP] [dir]", "Change the working directory."},
	"command":   {"[-pVv] name [argument ...]", "Run a command that is no function, or say what it is."},
	"continue":  {"[n]", "Go on with the next round of a loop."},
	"declare":   {"[-aAfFgnprx] [name[=value] ...]", "Declare variables, or print them."},
	"dirs":      {"", "Print the directories that pushd keeps."},
	"echo":      {"[-neE] [arg ...]", "Print words."},
	"eval":      {"[argument ...]", "Run words as a command."},
	"exec":      {"[command [argument ...]]", "Run a command in the shell's place, or redirect the shell."},
	"exit":      {"[n]", "End the shell."},
	"export":    {"[-np] [name[=value] ...]", "Give variables to the commands that run."},
	"false":     {"", "Return an unsuccessful result."},
	"fg":        {"[job]", "Bring a job to the foreground."},
	"getopts":   {"optstring name [argument ...]", "Read the next option of the arguments."},
	"hash":      {"", "Do nothing: no paths are remembered."},
	"help":      {"[-dms] [pattern ...]", "Say what builtins do."},
	"jobs":      {"[-lp] [job ...]", "List jobs."},
	"kill":      {"[-s signal | -signal] job|pid ...", "Send a signal to processes."},
	"let":       {"expression ...", "Work out arithmetic."},
	"local":     {"[name[=value] ...]", "Declare variables of a function."},
	"mapfile":   {"[-t] [-d delimiter] [array]", "Read lines into an array."},
	"popd":      {"", "Go back to a directory that pushd has kept."},
	"printf":    {"format [argument ...]", "Print arguments in a format."},
	"pushd":     {"[dir]", "Keep the working directory, and change it."},
	"pwd":       {"[-LP]", "Print the working directory."},
	"read":      {"[-rs] [-a array] [-d delimiter] [-n count] [-p prompt] [-t seconds] [-u fd] [name ...]", "Read a line, and split it into variables."},
	"readonly":  {"[-p] [name[=value] ...]", "Let variables not be changed any more."},
	"return":    {"[n]", "Leave a function or a sourced file."},
	"set":       {"[-aefimnux] [-o option] [--] [argument ...]", "Set options and the positional parameters."},
	"shift":     {"[n]", "Drop positional parameters."},
	"shopt":     {"[-pqsu] [-o] [name ...]", "Set the options that bash has beside those of set, or print them."},
	"test":      {"[expression]", "Work out a condition."},
	"times":     {"", "Print the time that commands took."},
	"trap":      {"[action signal ...]", "Run a command when a signal comes."},
	"true":      {"", "Return a successful result."},
	"type":      {"[-t] name ...", "Say what commands' names mean."},
	"ulimit":    {"", "Print that nothing is limited by the shell."},
	"umask":     {"[mode]", "Set what new files may not be used for."},
	"unalias":   {"[-a] [name ...]", "Forget aliases."},
	"unset":     {"[-fnv] [name ...]", "Forget variables, elements of arrays, and functions."},
	"wait":      {"[job|pid ...]", "Wait for jobs to end."},
	"chdir":     {"[-LP] [dir]", "As cd."},
	"readarray": {"[-t] [-d delimiter] [array]", "As mapfile."},
	"source":    {"filename [argument ...]", "As a dot."},
}

// help lists what there is to run; with words it says what the builtins do that they name, or match.
func help(s *Shell, args []string) int {
	letter := byte(0)
	for args = args[1:]; len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-'; args = args[1:] {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		if strings.Trim(args[0][1:], "dms") != "" {
			s.errorf("help: illegal option %s", args[0])
			return 2
		}
		letter = args[0][len(args[0])-1]
	}
	if len(args) == 0 {
		s.print("Built-in commands:\n" + columns(slices.Sorted(maps.Keys(builtins))))
		if programs := s.programs(); len(programs) > 0 {
			s.print("\nPrograms:\n" + columns(programs))
		}
		return 0
	}
	status := 0
	for _, arg := range args {
		if !s.helpWith(arg, letter) {
			s.errorf("help: no help topics match `%s'", arg)
			status = 1
		}
	}
	return status
}

func (s *Shell) helpWith(arg string, letter byte) (found bool) {
	defer s.while(0)()
	names := slices.Sorted(maps.Keys(helpTexts))
	if _, ok := helpTexts[arg]; ok {
		names = []string{arg}
	}
	for _, name := range names {
		if ok, _ := s.matchPattern(arg, name, pattern.EntireString); !ok && name != arg {
			continue
		}
		found = true
		text := helpTexts[name]
		synopsis := strings.TrimSpace(name + " " + text[0])
		switch letter {
		case 'd':
			s.printf("%s - %s\n", name, text[1])
		case 's':
			s.printf("%s: %s\n", name, synopsis)
		default:
			s.printf("%s: %s\n    %s\n", name, synopsis, text[1])
		}
	}
	return found
}
