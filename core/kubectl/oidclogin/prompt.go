package oidclogin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxTyped is how long a line may be, in bytes.
const maxTyped = 8 << 10

// ask has the person type a line; hidden does not show it.
func (s *session) ask(ctx context.Context, prompt string, hidden bool) (string, error) {
	if s.p.Terminal == nil {
		return "", fmt.Errorf("%snobody sits here to ask: standard input is not a terminal", strings.ToLower(prompt))
	}
	fmt.Fprint(s.p.Stderr, prompt)
	if hidden {
		s.p.Terminal.Raw(true)
		defer func() {
			s.p.Terminal.Raw(false)
			fmt.Fprintln(s.p.Stderr)
		}()
	}
	var line []byte
	one := make([]byte, 1)
	for len(line) < maxTyped {
		if _, err := io.ReadFull(s.p.Stdin, one); err != nil {
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
