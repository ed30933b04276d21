package line

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxRemembered is the longest line that History keeps, in bytes.
const maxRemembered = 4 << 10

// History is what was typed, with its numbers; its methods may be called from any goroutine.
type History struct {
	mu        sync.Mutex
	lines     []string
	forgotten int
}

// Remember keeps a line.
func (h *History) Remember(line string) {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > maxRemembered {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, strings.Clone(line))
	if len(h.lines) > maxHistory {
		h.lines = h.lines[1:]
		h.forgotten++
	}
}

// Main is the program history: history [N], history -c.
func (h *History) Main(p *program.Process) int {
	h.mu.Lock()
	lines, first := slices.Clone(h.lines), h.forgotten+1
	h.mu.Unlock()
	last := len(lines)
	switch {
	case len(p.Args) == 2 && p.Args[1] == "-c":
		h.mu.Lock()
		h.lines, h.forgotten = nil, 0
		h.mu.Unlock()
		return 0
	case len(p.Args) == 2:
		n, err := strconv.Atoi(p.Args[1])
		if err != nil || n < 0 {
			fmt.Fprintf(p.Stderr, "history: %s: numeric argument required\n", p.Args[1])
			return 1
		}
		last = min(n, last)
	case len(p.Args) > 2:
		fmt.Fprintln(p.Stderr, "Usage: history [N | -c]")
		return 2
	}
	for i, line := range lines[len(lines)-last:] {
		// What was pasted may hold what a terminal would obey.
		shown := strings.Map(func(c rune) rune {
			if c == '\n' || c == '\t' || c == ' ' || unicode.IsGraphic(c) {
				return c
			}
			return -1
		}, line)
		if _, err := io.WriteString(p.Stdout, fmt.Sprintf("%5d  %s\n", first+len(lines)-last+i, shown)); err != nil {
			return 1
		}
	}
	return 0
}
