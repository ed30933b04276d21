package shell

import (
	"context"
	"io"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/interp"
	"github.com/tabernetes/tabernetes/core/shell/line"
)

// Sh is the shell: sh [-eux…] [-o option] [-i] [-c text [name [argument…]] | file [argument…]].
// Without text and file it reads standard input, with a prompt if that is a terminal.
func Sh(ctx context.Context, p *program.Process) int {
	args, opts, ok := parseSh(p)
	if !ok {
		return 2
	}
	typed := &line.History{}
	if p.Terminal != nil && p.Stdin != nil && !opts.text && (len(args) == 0 || opts.stdin) {
		p = withHistory(p, typed) // it becomes interactive
	}
	s := interp.New(ctx, p)
	if p.Args[0] != "" {
		s.SetName(p.Args[0], false)
	}
	for _, set := range opts.set {
		if !s.SetOption(set.name, set.on) {
			_, _ = io.WriteString(p.Stderr, "sh: illegal option -o "+set.name+"\n")
			return 2
		}
	}
	switch {
	case opts.text:
		if len(args) == 0 {
			_, _ = io.WriteString(p.Stderr, "sh: -c requires an argument\n")
			return 2
		}
		if len(args) > 1 {
			s.SetName(args[1], false)
			s.SetParams(args[2:]...)
		}
		s.Run(ctx, args[0])
	case len(args) > 0 && !opts.stdin:
		f, err := p.Open(args[0])
		if err != nil {
			_, _ = io.WriteString(p.Stderr, "sh: can't open '"+args[0]+"': "+program.Reason(err)+"\n")
			return 2
		}
		defer f.Close()
		s.SetName(args[0], true)
		s.SetParams(args[1:]...)
		s.RunReader(ctx, f)
	case p.Terminal != nil && p.Stdin != nil:
		s.SetParams(args...)
		return interactive(ctx, p, s, typed)
	default:
		s.SetParams(args...)
		if p.Stdin != nil {
			s.RunInput(ctx)
		}
	}
	return s.End(ctx)
}

type shOptions struct {
	text, stdin bool // -c, -s
	set         []shOption
}

type shOption struct {
	name string
	on   bool
}

var shLetters = map[byte]string{
	'a': "allexport", 'e': "errexit", 'f': "noglob", 'm': "monitor", 'n': "noexec",
	'u': "nounset", 'x': "xtrace", 'i': "interactive",
}

func parseSh(p *program.Process) (args []string, opts shOptions, ok bool) {
	args = p.Args[1:]
	for len(args) > 0 && len(args[0]) > 1 && strings.ContainsAny(args[0][:1], "-+") {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		if strings.HasPrefix(arg, "--") {
			continue // --login, --norc, --posix: nothing to do
		}
		on := arg[0] == '-'
		for i := 1; i < len(arg); i++ {
			switch letter := arg[i]; letter {
			case 'c':
				opts.text = true
			case 's':
				opts.stdin = true
			case 'l', 'v', 'h', 'b', 'C', 'p':
			case 'o':
				if len(args) > 0 {
					opts.set = append(opts.set, shOption{args[0], on})
					args = args[1:]
				}
			default:
				name, known := shLetters[letter]
				if !known {
					_, _ = io.WriteString(p.Stderr, "sh: illegal option -"+string(rune(letter))+"\n")
					return nil, opts, false
				}
				opts.set = append(opts.set, shOption{name, on})
			}
		}
	}
	return args, opts, true
}
