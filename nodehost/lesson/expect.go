package lesson

import (
	"fmt"
	"strings"
)

// whatever stands in expected output for what may differ: within a line, or, alone on it, for any lines.
const whatever = "…"

// Expect says how what was printed differs from what a lesson says; nil if it does not. Blanks count as one,
// and those at the ends of lines and empty lines at the ends as none.
func Expect(want, got string) error {
	w, g := lines(want), lines(got)
	// reach[j]: the lines of want so far can be the first j of got.
	reach := make([]bool, len(g)+1)
	reach[0] = true
	furthest := 0
	for _, line := range w {
		next := make([]bool, len(g)+1)
		if line == whatever {
			on := false
			for j := range next {
				on = on || reach[j]
				next[j] = on
			}
		} else {
			for j := range g {
				next[j+1] = reach[j] && like(line, g[j])
			}
		}
		before := furthest
		furthest = -1
		for j, ok := range next {
			if ok {
				furthest = j
				break
			}
		}
		if furthest < 0 {
			return fmt.Errorf("%q was to come after %d lines", cut(line), before)
		}
		reach = next
	}
	if !reach[len(g)] {
		return fmt.Errorf("%q came, where nothing was to come", cut(g[furthest]))
	}
	return nil
}

// like matches a line: each … is anything, an empty text as well.
func like(pattern, line string) bool {
	pieces := strings.Split(pattern, whatever)
	first, rest := pieces[0], pieces[1:]
	if len(rest) == 0 {
		return pattern == line
	}
	line, ok := strings.CutPrefix(line, first)
	if !ok {
		return false
	}
	last := rest[len(rest)-1]
	for _, piece := range rest[:len(rest)-1] {
		_, after, ok := strings.Cut(line, piece)
		if !ok {
			return false
		}
		line = after
	}
	return strings.HasSuffix(line, last)
}

func lines(text string) []string {
	var all []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}
