package tool

import (
	"errors"
	"io"
	"regexp"
	"slices"

	"github.com/spf13/pflag"
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
	var wanted []string
	for _, format := range args {
		for _, m := range variable.FindAllStringSubmatch(format, -1) {
			wanted = append(wanted, m[1]+m[2])
		}
	}
	if list {
		for _, name := range wanted {
			t.print(name + "\n")
		}
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
		t.print(variable.ReplaceAllStringFunc(line, func(found string) string {
			m := variable.FindStringSubmatch(found)
			name := m[1] + m[2]
			if len(args) > 0 && !slices.Contains(wanted, name) {
				return found
			}
			return t.Getenv(name)
		}))
	}
}
