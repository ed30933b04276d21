package tool

import (
	"bytes"
	"strings"
	"unsafe"
)

// text is the pattern space as a string, without another copy of it: for as long as it stays as it is.
func text(space []byte) string { return unsafe.String(unsafe.SliceData(space), len(space)) }

// sedReplaced is what s makes of a pattern space. It is counted before it grows: what is replaced may be
// long, and stand in the replacement any number of times.
type sedReplaced struct {
	m    *sedMachine
	made bytes.Buffer
}

// write appends a piece; false if that is too much, which ends the run.
func (r *sedReplaced) write(piece string) bool {
	if n := len(piece); n > r.made.Available() {
		if !r.m.fits(r.made.Cap() + max(r.made.Cap(), n)) {
			return false
		}
		r.made.Grow(n)
	}
	r.made.WriteString(piece)
	return true
}

func (m *sedMachine) substitute(c *sedCommand) {
	first, seen, at := max(c.nth, 1), 0, 0
	limit := first
	if c.global {
		limit = -1
	}
	made := &sedReplaced{m: m}
	space := text(m.space)
	for match := range c.re.AllGroups(m.t.ctx, space, limit) {
		if seen++; seen < first {
			continue
		}
		if seen%64 == 0 && m.t.ctx.Err() != nil { // the replacement may be long, and come to nothing
			return
		}
		if !made.write(space[at:match[0]]) || !made.replacement(c.with, space, match) {
			return
		}
		at = match[1]
	}
	if seen < first || !made.write(space[at:]) {
		return
	}
	m.space = made.made.Bytes()
	m.replaced = true
	if c.print {
		m.out.line(string(m.space), m.end)
	}
	if c.file != "" {
		m.file(c.file).line(string(m.space), m.end)
	}
}

// replacement expands &, \1 to \9, \n and the case marks \U \L \E \u \l; false if it comes to too much.
func (r *sedReplaced) replacement(with, src string, match []int) bool {
	mode, once := byte(0), byte(0)
	put := func(text string) bool {
		switch mode {
		case 'U':
			text = strings.ToUpper(text)
		case 'L':
			text = strings.ToLower(text)
		}
		if once != 0 && text != "" {
			first := strings.ToLower(text[:1])
			if once == 'u' {
				first = strings.ToUpper(text[:1])
			}
			if text, once = text[1:], 0; !r.write(first) {
				return false
			}
		}
		return r.write(text)
	}
	group := func(n int) bool {
		return 2*n+1 >= len(match) || match[2*n] < 0 || put(src[match[2*n]:match[2*n+1]])
	}
	fits := true
	for i := 0; i < len(with) && fits; i++ {
		switch {
		case with[i] == '&':
			fits = group(0)
		case with[i] != '\\' || i+1 == len(with):
			fits = put(with[i : i+1])
		default:
			i++
			switch c := with[i]; {
			case c >= '0' && c <= '9':
				fits = group(int(c - '0'))
			case c == 'n':
				fits = put("\n")
			case c == 't':
				fits = put("\t")
			case c == 'U' || c == 'L':
				mode = c
			case c == 'E':
				mode = 0
			case c == 'u' || c == 'l':
				once = c
			default:
				fits = put(with[i : i+1])
			}
		}
	}
	return fits
}
