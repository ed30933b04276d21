package tool

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// exec runs a command as the tool's child, with the tool's streams, and gives its exit code.
// Scripts are run by the shell, which finds them.
func (t *T) exec(args []string) int { return t.execWith(t.ctx, t.Stdin, t.Stdout, args) }

func (t *T) execWith(ctx context.Context, in io.Reader, out io.Writer, args []string) int {
	if err := t.out.Flush(); err != nil {
		return 1
	}
	name := args[0]
	prog, ok := t.lookup(name)
	if !ok {
		sh, haveShell := t.lookup("sh")
		if !haveShell {
			t.fail("can't execute '%s': No such file or directory", name)
			return 127
		}
		prog = sh
		args = append([]string{"sh", "-c", `exec "$0" "$@"`}, args...)
	}
	child := t.Child(args...)
	child.Stdin, child.Stdout = in, out
	child.Signals = nil
	if t.Table != nil {
		return t.Table.Run(ctx, prog, child)
	}
	return prog(ctx, child)
}

func (t *T) lookup(name string) (program.Program, bool) {
	if t.Lookup == nil {
		return nil, false
	}
	if strings.Contains(name, "/") {
		name = path.Clean(t.Path(name))
	}
	return t.Lookup(name)
}
