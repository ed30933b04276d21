package tool

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/pager"
	"github.com/tabernetes/tabernetes/core/shell/regex"
)

func init() {
	tools["less"] = less
	tools["more"] = less
}

// less shows files, or what is piped into it, a screen at a time. Where its output is no terminal it copies
// them, as less does.
func less(t *T) int {
	var opts pager.Options
	var fold, always bool
	args, code, ok := t.flags("[-FINRSXi] [+COMMAND] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&opts.Short, "quit-if-one-screen", "F", false, "")
		f.BoolVarP(&opts.Number, "LINE-NUMBERS", "N", false, "")
		f.BoolVarP(&opts.Colors, "RAW-CONTROL-CHARS", "R", false, "")
		f.BoolVarP(&opts.Chop, "chop-long-lines", "S", false, "")
		f.BoolVarP(&opts.Stay, "no-init", "X", false, "")
		f.BoolVarP(&fold, "ignore-case", "i", false, "")
		f.BoolVarP(&always, "IGNORE-CASE", "I", false, "")
	})
	if !ok {
		return code
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "+") {
		opts.Start, args = args[0][1:], args[1:]
	}
	console := t.Console
	if t.Terminal != nil {
		console = &program.Console{Terminal: t.Terminal, Keys: t.Stdin}
	}
	if len(args) == 0 && t.Terminal != nil {
		t.fail(`Missing filename ("less FILE", or "COMMAND | less")`)
		return 1
	}
	if console == nil || console.Keys == nil || t.Stdout == nil {
		t.each(args, func(_ string, r io.Reader) error { _, err := copyTo(t.out, r); return err })
		return t.code
	}
	opts.Compile = func(pattern string) (*regex.Regexp, error) {
		return t.compile(pattern, true, always || fold && pattern == strings.ToLower(pattern), false)
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	for i := 0; i >= 0 && i < len(args); {
		end, ok := t.page(console, args[i], opts)
		if !ok {
			args = append(args[:i:i], args[i+1:]...)
			continue
		}
		switch {
		case end == pager.Quit && !(opts.Short && i+1 < len(args)):
			return t.code
		case end == pager.Previous:
			i = max(i-1, 0)
		default:
			i = min(i+1, len(args)-1)
		}
	}
	return t.code
}

// page shows one file; false if there is none.
func (t *T) page(console *program.Console, name string, opts pager.Options) (pager.End, bool) {
	var file io.ReadCloser
	if name != "-" {
		var err error
		if file, err = t.open(name); err != nil {
			t.failed(name, err)
			return pager.Quit, false
		}
		defer file.Close()
		opts.Name = name
	}
	defer func(held int) { _ = t.hold(held - t.holds()) }(t.holds())
	opts.Hold = t.hold
	end, err := pager.Show(t.ctx, console, t.Stdout, func(stop context.Context) io.Reader {
		if file != nil {
			return file
		}
		return program.NewInput(t.Stdin).Reader(stop)
	}, opts)
	if err != nil && t.ctx.Err() == nil {
		t.failed(name, err)
	}
	return end, true
}
