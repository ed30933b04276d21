package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// Editor is what the Terminal of a line's Streams may be besides: a way to let a person edit a
// text. `vi` and `nano` open it, and so `kubectl edit`.
type Editor interface {
	// Edit shows text under a file's name and returns when the person is done; saved is false
	// if the file is to stay as it is.
	Edit(ctx context.Context, name, text string) (edited string, saved bool, err error)
}

// edit is the program behind vi and nano.
func edit(ctx context.Context, p *program.Process) int {
	var names []string
	for _, arg := range p.Args[1:] {
		if !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+") {
			names = append(names, arg)
		}
	}
	fail := func(format string, args ...any) int {
		fmt.Fprintf(p.Stderr, "%s: %s\n", p.Args[0], fmt.Sprintf(format, args...))
		return 1
	}
	if len(names) != 1 {
		return fail("which file? %s FILE", p.Args[0])
	}
	editor, ok := p.Terminal.(Editor)
	if !ok {
		return fail("it opens the page's editor, which only the page's own terminal can; here use sed, or cat > FILE")
	}
	name := names[0]
	before, err := p.FS.ReadFile(p.Path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail("%s: %s", name, program.Reason(err))
	}
	after, saved, err := editor.Edit(ctx, name, string(before))
	if err != nil {
		return fail("%s: %v", name, err)
	}
	if !saved {
		return 0
	}
	if after != "" && !strings.HasSuffix(after, "\n") {
		after += "\n" // as vi does
	}
	if err := p.FS.WriteFile(p.Path(name), []byte(after), 0o644); err != nil {
		return fail("%s: %s", name, program.Reason(err))
	}
	return 0
}
