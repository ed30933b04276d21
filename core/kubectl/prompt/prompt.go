// Package prompt asks whoever sits at a command's terminal. Upstream's packages ask at the terminal of the process, which
// is nobody's here, or the operator's.
//
// It may import core/program.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxTyped is how long a line may be, in bytes.
const maxTyped = 8 << 10

// ErrNobody says that there is nobody to ask: standard input is no terminal.
var ErrNobody = errors.New("nobody sits here to ask: standard input is not a terminal")

// Line shows a text on w and reads the line that is typed; hidden does not show it. The error is ErrNobody, ctx's cause,
// or what went wrong.
func Line(ctx context.Context, p *program.Process, w io.Writer, text string, hidden bool) (string, error) {
	if p.Terminal == nil || p.Stdin == nil {
		return "", ErrNobody
	}
	fmt.Fprint(w, text)
	if hidden {
		p.Terminal.Raw(true)
		defer func() {
			p.Terminal.Raw(false)
			fmt.Fprintln(w)
		}()
	}
	keys := program.NewInput(p.Stdin)
	if keys != program.NewInput(p.Stdin) {
		// Nobody reads it by an Input yet: what is typed ahead is kept for whoever reads next.
		p.Stdin = keys.Reader(context.WithoutCancel(ctx))
	}
	in := keys.Reader(ctx)
	var line []byte
	one := make([]byte, 1)
	for len(line) < maxTyped {
		if _, err := io.ReadFull(in, one); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return "", cause
			}
			return "", fmt.Errorf("read what is typed: %w", err)
		}
		switch c := one[0]; c {
		case '\n', '\r':
			return strings.TrimSpace(string(line)), nil
		case 3: // ^C, which nobody else sees on a raw terminal
			return "", errors.New("interrupted")
		case 8, 127:
			line = line[:max(len(line)-1, 0)]
		default:
			line = append(line, c)
		}
	}
	return "", errors.New("what is typed is too long")
}
