package tool

import (
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
	out   io.StringWriter

	lines    []string
	next     int // index of the line that is read next
	space    string
	hold     string
	end      string // how the line ended: "\n" or "" for a last line without
	appended []string
	replaced bool // since the last line was read or t jumped
	quit     bool
	exit     int
}

func (m *sedMachine) run(lines []string) {
	m.lines = lines
	for !m.quit && m.read() {
		if m.t.ctx.Err() != nil {
			return
		}
		m.cycle()
	}
}

func (m *sedMachine) read() bool {
	if m.next >= len(m.lines) {
		return false
	}
	line := m.lines[m.next]
	m.next++
	m.space = strings.TrimSuffix(line, "\n")
	m.end = line[len(m.space):]
	m.replaced = false
	return true
}

func (m *sedMachine) write(text string) { _, _ = m.out.WriteString(text) }

// flush ends a line's cycle: the pattern space, then what a and r have appended.
func (m *sedMachine) flush(show bool) {
	if show {
		m.write(m.space + m.end)
	}
	if len(m.appended) > 0 && m.end == "" && show {
		m.write("\n")
	}
	for _, text := range m.appended {
		m.write(text)
	}
	m.appended = nil
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
			m.space = strings.Map(func(r rune) rune {
				if to, ok := c.chars[r]; ok {
					return to
				}
				return r
			}, m.space)
		case 'd':
			m.flush(false)
			return
		case 'D':
			_, rest, more := strings.Cut(m.space, "\n")
			if !more {
				m.flush(false)
				return
			}
			m.space = rest
			at = 0
		case 'p':
			m.write(m.space + "\n")
		case 'P':
			first, _, _ := strings.Cut(m.space, "\n")
			m.write(first + "\n")
		case 'n':
			if m.next >= len(m.lines) {
				m.flush(!m.quiet)
				return
			}
			m.flush(!m.quiet)
			m.read()
		case 'N':
			before := m.space
			if m.next >= len(m.lines) {
				m.flush(!m.quiet)
				return
			}
			m.read()
			m.space = before + "\n" + m.space
		case 'h':
			m.hold = m.space
		case 'H':
			m.hold += "\n" + m.space
		case 'g':
			m.space = m.hold
		case 'G':
			m.space += "\n" + m.hold
		case 'x':
			m.space, m.hold = m.hold, m.space
		case 'a':
			m.appended = append(m.appended, c.text)
		case 'i':
			m.write(c.text)
		case 'c':
			if c.to == nil || !c.active || c.negated {
				m.write(c.text)
			}
			m.flush(false)
			return
		case '=':
			m.write(strconv.Itoa(m.next) + "\n")
		case 'l':
			m.write(strings.Trim(strconv.QuoteToASCII(m.space), `"`) + "$\n")
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
			f, err := m.t.OpenFile(c.text, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
			if !m.t.failed(c.text, err) {
				_, _ = io.WriteString(f, m.space+"\n")
				_ = f.Close()
			}
		case 'r':
			if data, err := m.t.FS.ReadFile(m.t.Path(c.text)); err == nil {
				m.appended = append(m.appended, string(data))
			}
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
			c.active = m.next < c.until
			return m.next <= c.until
		case m.matches(c.to):
			c.active = false
		}
		return true
	case m.matches(c.from):
		c.until = 0
		switch {
		case c.to.plus > 0:
			c.until = m.next + c.to.plus
		case c.to.line > 0:
			c.until = c.to.line
		}
		c.active = c.until == 0 || c.until > m.next
		if c.to.re == nil && c.to.line == -1 && m.next >= len(m.lines) {
			c.active = false
		}
		return true
	}
	return false
}

func (m *sedMachine) matches(a *sedAddress) bool {
	switch {
	case a.re != nil:
		return a.re.MatchString(m.space)
	case a.line == -1:
		return m.next >= len(m.lines)
	case a.step > 0:
		return m.next >= a.line && (m.next-a.line)%a.step == 0
	}
	return m.next == a.line
}

func (m *sedMachine) substitute(c *sedCommand) {
	all := c.re.FindAllStringSubmatchIndex(m.space, -1)
	first := max(c.nth, 1)
	if len(all) < first {
		return
	}
	var b strings.Builder
	at := 0
	for i, match := range all {
		if i+1 < first || i+1 > first && !c.global {
			continue
		}
		b.WriteString(m.space[at:match[0]])
		b.WriteString(replacement(c.with, m.space, match))
		at = match[1]
	}
	b.WriteString(m.space[at:])
	m.space = b.String()
	m.replaced = true
	if c.print {
		m.write(m.space + "\n")
	}
}

// replacement expands &, \1 to \9, \n and the case marks \U \L \E \u \l.
func replacement(with, src string, match []int) string {
	var b strings.Builder
	mode, once := byte(0), byte(0)
	put := func(text string) {
		switch mode {
		case 'U':
			text = strings.ToUpper(text)
		case 'L':
			text = strings.ToLower(text)
		}
		if once != 0 && text != "" {
			if once == 'u' {
				text = strings.ToUpper(text[:1]) + text[1:]
			} else {
				text = strings.ToLower(text[:1]) + text[1:]
			}
			once = 0
		}
		b.WriteString(text)
	}
	group := func(n int) {
		if 2*n+1 < len(match) && match[2*n] >= 0 {
			put(src[match[2*n]:match[2*n+1]])
		}
	}
	for i := 0; i < len(with); i++ {
		switch {
		case with[i] == '&':
			group(0)
		case with[i] != '\\' || i+1 == len(with):
			put(with[i : i+1])
		default:
			i++
			switch c := with[i]; {
			case c >= '0' && c <= '9':
				group(int(c - '0'))
			case c == 'n':
				put("\n")
			case c == 't':
				put("\t")
			case c == 'U' || c == 'L':
				mode = c
			case c == 'E':
				mode = 0
			case c == 'u' || c == 'l':
				once = c
			default:
				put(with[i : i+1])
			}
		}
	}
	return b.String()
}
