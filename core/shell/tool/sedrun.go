package tool

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
)

// sedMachine runs a script over lines: with a pattern space and a hold space.
type sedMachine struct {
	t     *T
	prog  []*sedCommand
	quiet bool
	out   sedOutput
	files map[string]*sedFile // of w

	in       *sedInput
	space    []byte
	hold     []byte
	end      string // how the line ended: "\n" or "" for a last line without
	appended []sedAppended
	replaced bool // since the last line was read or t jumped
	drawn    int  // bytes, of the spaces and what is appended
	quit     bool
	failed   bool
	exit     int
}

// sedAppended is what a and r put behind a line: a text, or a file.
type sedAppended struct{ text, file string }

// sedFile is one that w writes.
type sedFile struct {
	sedOutput
	io.Closer
}

func newSed(t *T, prog []*sedCommand, quiet bool, w io.Writer) *sedMachine {
	m := &sedMachine{t: t, prog: prog, quiet: quiet, out: sedOutput{w: w}, files: map[string]*sedFile{}}
	for _, c := range prog { // w makes its files though no line should reach it
		if c.file != "" {
			m.file(c.file)
		}
	}
	return m
}

func (m *sedMachine) close() {
	for _, f := range m.files {
		if f.Closer != nil {
			_ = f.Close()
		}
	}
}

// file is where w writes.
func (m *sedMachine) file(name string) *sedOutput {
	switch name {
	case "/dev/stdout":
		return &m.out
	case "/dev/stderr":
		return &sedOutput{w: m.t.stderr()}
	}
	f := m.files[name]
	if f == nil {
		f = &sedFile{sedOutput: sedOutput{w: io.Discard}}
		opened, err := m.t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if !m.t.failed(name, err) {
			f.w, f.Closer = opened, opened
		}
		m.files[name] = f
	}
	return &f.sedOutput
}

func (m *sedMachine) run(in *sedInput) {
	m.in = in
	for !m.quit && m.read() {
		if m.t.ctx.Err() != nil {
			return
		}
		m.cycle()
	}
	in.close()
}

func (m *sedMachine) read() bool {
	line, ok := m.in.next()
	if !ok {
		return false
	}
	m.space = m.space[:0]
	m.take(line)
	return m.fits(0)
}

// take appends a line to the pattern space.
func (m *sedMachine) take(line string) {
	text := strings.TrimSuffix(line, "\n")
	m.space = append(m.space, text...)
	m.end = line[len(text):]
	m.replaced = false
}

// fits counts what the spaces hold, and more bytes, and ends the run if that is too much; false then.
func (m *sedMachine) fits(more int) bool {
	held := len(m.space) + len(m.hold) + more
	if held == m.drawn {
		return true
	}
	err := m.t.hold(held - m.drawn)
	if m.drawn = held; err == nil {
		return true
	}
	m.t.fail("%v", errHeld)
	m.quit, m.failed, m.exit = true, true, 1
	return false
}

// flush ends a line's cycle: the pattern space, then what a and r have appended.
func (m *sedMachine) flush(show bool) {
	if show {
		m.out.line(string(m.space), m.end)
	}
	for _, a := range m.appended {
		if a.file != "" {
			_ = m.out.file(m.t, a.file)
			continue
		}
		m.out.text(a.text)
	}
	m.appended = m.appended[:0]
}

// cycle runs the script on the pattern space.
func (m *sedMachine) cycle() {
	for at, steps := 0, 0; at < len(m.prog); steps++ {
		if steps%64 == 63 && m.t.ctx.Err() != nil { // a loop of b and t
			return
		}
		c := m.prog[at]
		at++
		if m.selected(c) == c.negated {
			if c.name == '{' {
				at = c.skip
			}
			continue
		}
		switch c.name {
		case 's':
			m.substitute(c)
		case 'y':
			m.space = bytes.Map(func(r rune) rune {
				if to, ok := c.chars[r]; ok {
					return to
				}
				return r
			}, m.space)
		case 'd':
			m.flush(false)
			return
		case 'D':
			_, rest, more := bytes.Cut(m.space, []byte("\n"))
			if !more {
				m.flush(false)
				return
			}
			m.space = append(m.space[:0], rest...)
			at = 0
		case 'p':
			m.out.line(string(m.space), m.end)
		case 'P':
			first, _, more := bytes.Cut(m.space, []byte("\n"))
			if more {
				m.out.text(string(first) + "\n")
			} else {
				m.out.line(string(first), m.end)
			}
		case 'n':
			m.flush(!m.quiet)
			if !m.read() {
				return
			}
		case 'N':
			if m.in.last() {
				m.flush(!m.quiet)
				return
			}
			line, ok := m.in.next()
			if !ok {
				return
			}
			m.space = append(m.space, '\n')
			m.take(line)
		case 'h':
			if !m.fits(len(m.space)) {
				return
			}
			m.hold = append(m.hold[:0], m.space...)
		case 'H':
			if !m.fits(len(m.space)) {
				return
			}
			m.hold = append(append(m.hold, '\n'), m.space...)
		case 'g':
			if !m.fits(len(m.hold)) {
				return
			}
			m.space = append(m.space[:0], m.hold...)
		case 'G':
			if !m.fits(len(m.hold)) {
				return
			}
			m.space = append(append(m.space, '\n'), m.hold...)
		case 'x':
			m.space, m.hold = m.hold, m.space
		case 'a':
			m.appended = append(m.appended, sedAppended{text: c.text})
		case 'i':
			m.out.text(c.text)
		case 'c':
			if c.to == nil || !c.active || c.negated {
				m.out.text(c.text)
			}
			m.flush(false)
			return
		case '=':
			m.out.text(strconv.Itoa(m.in.number) + "\n")
		case 'l':
			if !m.fits(8 * len(m.space)) {
				return
			}
			m.out.text(strings.Trim(strconv.QuoteToASCII(string(m.space)), `"`) + "$\n")
		case 'q', 'Q':
			m.quit, m.exit = true, c.nth
			m.flush(c.name == 'q' && !m.quiet)
			return
		case 'b', 't', 'T':
			if c.name == 'b' || (c.name == 't') == m.replaced {
				at = m.label(c.text)
			}
			if c.name != 'b' {
				m.replaced = false
			}
		case 'w':
			m.file(c.file).line(string(m.space), m.end)
		case 'r':
			m.appended = append(m.appended, sedAppended{file: c.text})
		}
		if m.failed || !m.fits(len(m.appended)*lineOverhead) {
			return
		}
	}
	m.flush(!m.quiet)
}

// label is the index behind :name; a jump without a name goes to the end.
func (m *sedMachine) label(name string) int {
	for i, c := range m.prog {
		if c.name == ':' && c.text == name && name != "" {
			return i + 1
		}
	}
	return len(m.prog)
}

func (m *sedMachine) selected(c *sedCommand) bool {
	switch {
	case c.from == nil:
		return true
	case c.to == nil:
		return m.matches(c.from)
	case c.active:
		switch {
		case c.until > 0:
			c.active = m.in.number < c.until
			return m.in.number <= c.until
		case m.matches(c.to):
			c.active = false
		}
		return true
	case m.matches(c.from):
		c.until = 0
		switch {
		case c.to.plus > 0:
			c.until = m.in.number + c.to.plus
		case c.to.line > 0:
			c.until = c.to.line
		}
		c.active = c.until == 0 || c.until > m.in.number
		if c.to.re == nil && c.to.line == -1 && m.in.last() {
			c.active = false
		}
		return true
	}
	return false
}

func (m *sedMachine) matches(a *sedAddress) bool {
	switch {
	case a.re != nil:
		return a.re.Match(m.t.ctx, text(m.space))
	case a.line == -1:
		return m.in.last()
	case a.step > 0:
		return m.in.number >= a.line && (m.in.number-a.line)%a.step == 0
	}
	return m.in.number == a.line
}
