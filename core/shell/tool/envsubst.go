package tool

import (
	"errors"
	"io"
	"iter"
	"regexp"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() { tools["envsubst"] = envsubst }

// variable is what envsubst replaces: no more of a shell's forms than these (gettext's manual, "envsubst
// Invocation").
var variable = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})`)

// envsubst copies its input with variables replaced: all of them, or those that its argument names.
func envsubst(t *T) int {
	var list bool
	args, code, ok := t.flags("[-v] [SHELL-FORMAT]", func(f *pflag.FlagSet) {
		f.BoolVarP(&list, "variables", "v", false, "")
	})
	if !ok {
		return code
	}
	if len(args) > 1 || list && len(args) == 0 {
		return t.usage("[-v] [SHELL-FORMAT]")
	}
	wanted := map[string]bool{}
	for _, format := range args {
		for _, name := range variables(format) {
			if name == "" {
				continue
			}
			if list {
				t.print(name + "\n")
			} else if wanted[name] = true; t.hold(len(name)+program.StringMemory) != nil || t.ctx.Err() != nil {
				return 1
			}
		}
	}
	if list {
		return 0
	}
	lines := t.lineReader(t.in)
	for {
		line, err := lines.next('\n')
		if errors.Is(err, io.EOF) {
			return 0
		}
		if t.failed("standard input", err) {
			return 1
		}
		// Piece by piece: a value may be long, and stand in a line any number of times.
		for text, name := range variables(line) {
			if name == "" || len(args) > 0 && !wanted[name] {
				t.print(text)
			} else {
				t.print(t.Getenv(name))
			}
			if t.ctx.Err() != nil {
				return 1
			}
		}
	}
}

// variables gives what a text consists of: the variables with their names, and what stands between them
// without one.
func variables(text string) iter.Seq2[string, string] {
	return func(yield func(text, name string) bool) {
		for text != "" {
			m := variable.FindStringSubmatchIndex(text)
			if m == nil {
				yield(text, "")
				return
			}
			name := text[max(m[2], m[4]):max(m[3], m[5])]
			if m[0] > 0 && !yield(text[:m[0]], "") || !yield(text[m[0]:m[1]], name) {
				return
			}
			text = text[m[1]:]
		}
	}
}
