package interp

import (
	"fmt"
	"strings"
)

// options are those of `set`.
type options [len(optionTable)]bool

const (
	optAllExport = iota
	optErrExit
	optNoGlob
	optMonitor
	optNoExec
	optNoUnset
	optXTrace
	optPipeFail
	optInteractive
)

var optionTable = [...]struct {
	letter byte // 0: has a long name only
	name   string
}{
	optAllExport:   {'a', "allexport"},
	optErrExit:     {'e', "errexit"},
	optNoGlob:      {'f', "noglob"},
	optMonitor:     {'m', "monitor"},
	optNoExec:      {'n', "noexec"},
	optNoUnset:     {'u', "nounset"},
	optXTrace:      {'x', "xtrace"},
	optPipeFail:    {0, "pipefail"},
	optInteractive: {'i', "interactive"},
}

func (o *options) letters() string {
	var b strings.Builder
	for i, opt := range optionTable {
		if o[i] && opt.letter != 0 {
			b.WriteByte(opt.letter)
		}
	}
	return b.String()
}

// SetOption sets an option by its long name; false if there is none.
func (s *Shell) SetOption(name string, on bool) bool {
	for i, opt := range optionTable {
		if opt.name == name {
			s.opts[i] = on
			s.configure()
			return true
		}
	}
	return false
}

// setLetter sets an option by its letter; false if there is none.
func (s *Shell) setLetter(letter byte, on bool) bool {
	for i, opt := range optionTable {
		if opt.letter == letter && letter != 0 {
			s.opts[i] = on
			s.configure()
			return true
		}
	}
	return letter == 'C' || letter == 'b' || letter == 'h' || letter == 'v' // accepted, no effect
}

// SetArgs is the builtin set: options, then positional parameters. It returns those arguments
// that are not options, and whether the parameters were given.
func (s *Shell) setArgs(args []string) (rest []string, given bool, err error) {
	for len(args) > 0 {
		arg := args[0]
		switch {
		case arg == "--":
			return args[1:], true, nil
		case arg == "-" || arg == "+": // and the former ends what -x and -v print
			if arg == "-" {
				s.opts[optXTrace] = false
			}
			return args[1:], len(args) > 1, nil
		case len(arg) < 2 || (arg[0] != '-' && arg[0] != '+'):
			return args, true, nil
		}
		args = args[1:]
		on := arg[0] == '-'
		for i := 1; i < len(arg); i++ {
			if arg[i] != 'o' {
				if !s.setLetter(arg[i], on) {
					return nil, false, fmt.Errorf("illegal option %s", arg[:1]+arg[i:i+1])
				}
				continue
			}
			if len(args) == 0 {
				s.printOptions(on)
				return nil, false, nil
			}
			if !s.SetOption(args[0], on) {
				return nil, false, fmt.Errorf("illegal option %co %s", arg[0], args[0])
			}
			args = args[1:]
		}
	}
	return nil, false, nil
}

func (s *Shell) printOptions(readable bool) {
	for i, opt := range optionTable {
		switch {
		case readable && s.opts[i]:
			s.printf("%-16son\n", opt.name)
		case readable:
			s.printf("%-16soff\n", opt.name)
		case s.opts[i]:
			s.printf("set -o %s\n", opt.name)
		default:
			s.printf("set +o %s\n", opt.name)
		}
	}
}
