package tool

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// sedCommand is one command of a script with its addresses.
type sedCommand struct {
	from, to *sedAddress
	negated  bool
	name     byte
	text     string // of a, i, c; the label of b, t, :; the file of r
	file     string // of w, and of s with w
	re       *regex.Regexp
	with     string // the replacement, with \1 and &
	global   bool
	print    bool
	nth      int
	chars    map[rune]rune // of y
	skip     int           // of {: the index behind its }
	active   bool          // inside the range
	until    int           // the range's last line, if that is a number
}

type sedAddress struct {
	line int // 0: by re; -1: the last
	step int // FIRST~STEP
	plus int // addr,+N
	re   *regex.Regexp
}

type sedParser struct {
	t        *T
	text     string
	extended bool
	last     *regex.Regexp
	open     []int
	prog     []*sedCommand
}

func (t *T) parseSed(text string, extended bool) ([]*sedCommand, error) {
	if err := t.hold(len(text) * sourceMemory); err != nil {
		return nil, err
	}
	p := &sedParser{t: t, text: text, extended: extended}
	for {
		p.text = strings.TrimLeft(p.text, " \t\n;")
		if p.text == "" {
			if len(p.open) > 0 {
				return nil, errors.New("unmatched {")
			}
			return p.prog, nil
		}
		if p.text[0] == '#' {
			_, p.text, _ = strings.Cut(p.text, "\n")
			continue
		}
		if err := p.command(); err != nil {
			return nil, err
		}
	}
}

func (p *sedParser) command() (err error) {
	c := &sedCommand{}
	if c.from, err = p.address(); err != nil {
		return err
	}
	if c.from != nil && strings.HasPrefix(p.text, ",") {
		p.text = strings.TrimLeft(p.text[1:], " ")
		if c.to, err = p.address(); err != nil {
			return err
		}
		if c.to == nil {
			return errors.New("no second address in range")
		}
	}
	p.text = strings.TrimLeft(p.text, " \t")
	for strings.HasPrefix(p.text, "!") {
		c.negated = true
		p.text = strings.TrimLeft(p.text[1:], " \t")
	}
	if p.text == "" {
		return errors.New("missing command")
	}
	c.name, p.text = p.text[0], p.text[1:]
	p.prog = append(p.prog, c)
	switch c.name {
	case '{':
		p.open = append(p.open, len(p.prog)-1)
	case '}':
		if len(p.open) == 0 {
			return errors.New("unexpected }")
		}
		p.prog[p.open[len(p.open)-1]].skip = len(p.prog)
		p.open = p.open[:len(p.open)-1]
	case 's':
		return p.substitute(c)
	case 'y':
		return p.transliterate(c)
	case 'a', 'i', 'c':
		p.appended(c)
	case ':', 'b', 't', 'T', 'w', 'r':
		end := strings.IndexAny(p.text, ";\n}")
		if c.name == 'w' || c.name == 'r' {
			end = strings.IndexByte(p.text, '\n')
		}
		if end < 0 {
			end = len(p.text)
		}
		c.text, p.text = strings.TrimSpace(p.text[:end]), p.text[end:]
		switch {
		case c.name == 'w' && c.text == "":
			return errors.New("empty filename")
		case c.name == 'w':
			c.file = c.text
		}
	case 'q', 'Q', 'l':
		digits := 0
		for digits < len(p.text) && (p.text[digits] >= '0' && p.text[digits] <= '9' || p.text[digits] == ' ') {
			digits++
		}
		c.nth, _ = strconv.Atoi(strings.TrimSpace(p.text[:digits]))
		p.text = p.text[digits:]
	case 'p', 'd', 'D', 'P', 'n', 'N', 'h', 'H', 'g', 'G', 'x', '=':
	default:
		return fmt.Errorf("unsupported command %c", c.name)
	}
	return nil
}

func (p *sedParser) address() (*sedAddress, error) {
	switch {
	case p.text == "":
		return nil, nil
	case p.text[0] == '$':
		p.text = p.text[1:]
		return &sedAddress{line: -1}, nil
	case p.text[0] == '/' || p.text[0] == '\\' && len(p.text) > 1:
		if p.text[0] == '\\' {
			p.text = p.text[1:]
		}
		expr, ok := p.delimited(p.text[0], 1)
		if !ok {
			return nil, errors.New("unterminated address regex")
		}
		fold := strings.HasPrefix(p.text, "I")
		p.text = strings.TrimPrefix(p.text, "I")
		re, err := p.compile(expr[0], fold)
		return &sedAddress{re: re}, err
	}
	plus := p.text[0] == '+'
	at := 0
	if plus {
		at = 1
	}
	digits := at
	for digits < len(p.text) && p.text[digits] >= '0' && p.text[digits] <= '9' {
		digits++
	}
	if digits == at {
		return nil, nil
	}
	n, _ := strconv.Atoi(p.text[at:digits])
	p.text = p.text[digits:]
	if plus {
		return &sedAddress{plus: n}, nil
	}
	a := &sedAddress{line: n}
	if strings.HasPrefix(p.text, "~") {
		digits := 1
		for digits < len(p.text) && p.text[digits] >= '0' && p.text[digits] <= '9' {
			digits++
		}
		a.step, _ = strconv.Atoi(p.text[1:digits])
		p.text = p.text[digits:]
	}
	return a, nil
}

// delimited takes n parts that end with the delimiter, as in s/a/b/.
func (p *sedParser) delimited(delim byte, n int) ([]string, bool) {
	text := p.text[1:]
	var parts []string
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			if text[i] != delim {
				b.WriteByte('\\')
			}
			b.WriteByte(text[i])
		case text[i] == '[' && len(parts) == 0 && delim != '[':
			if end := regex.BracketEnd(text, i); end <= len(text) && strings.IndexByte(text[i:end], ']') > 0 {
				b.WriteString(text[i:end])
				i = end - 1
				continue
			}
			b.WriteByte('[')
		case text[i] == delim:
			parts = append(parts, b.String())
			b.Reset()
			if len(parts) == n {
				p.text = text[i+1:]
				return parts, true
			}
		default:
			b.WriteByte(text[i])
		}
	}
	return nil, false
}

func (p *sedParser) compile(expr string, fold bool) (*regex.Regexp, error) {
	if expr == "" {
		if p.last == nil {
			return nil, errors.New("no previous regexp")
		}
		return p.last, nil
	}
	re, err := p.t.compile(strings.ReplaceAll(expr, `\n`, "\n"), p.extended, fold, true)
	if errors.Is(err, errHeld) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("bad regex '%.200s'", expr)
	}
	p.last = re
	return re, nil
}

func (p *sedParser) substitute(c *sedCommand) error {
	if p.text == "" {
		return errors.New("bad format in substitution expression")
	}
	parts, ok := p.delimited(p.text[0], 2)
	if !ok {
		return errors.New("unterminated s")
	}
	fold := false
	for p.text != "" && strings.IndexByte(";\n} ", p.text[0]) < 0 {
		switch letter := p.text[0]; {
		case letter == 'g':
			c.global = true
		case letter == 'p':
			c.print = true
		case letter == 'i' || letter == 'I':
			fold = true
		case letter == 'w':
			name, rest, _ := strings.Cut(p.text[1:], "\n")
			if c.file = strings.TrimSpace(name); c.file == "" {
				return errors.New("empty filename")
			}
			p.text = "w\n" + rest
		case letter >= '0' && letter <= '9':
			c.nth = min(c.nth*10+int(letter-'0'), 1<<30)
		default:
			return fmt.Errorf("unknown option to s: %c", letter)
		}
		p.text = p.text[1:]
	}
	var err error
	c.re, err = p.compile(parts[0], fold)
	c.with = parts[1]
	return err
}

func (p *sedParser) transliterate(c *sedCommand) error {
	if p.text == "" {
		return errors.New("bad format in y")
	}
	parts, ok := p.delimited(p.text[0], 2)
	unescape := strings.NewReplacer(`\n`, "\n", `\\`, `\`)
	if ok {
		from, to := []rune(unescape.Replace(parts[0])), []rune(unescape.Replace(parts[1]))
		if len(from) == len(to) {
			c.chars = map[rune]rune{}
			for i, r := range from {
				c.chars[r] = to[i]
			}
			return nil
		}
	}
	return errors.New("strings for y are of different lengths")
}

// appended takes the text of a, i and c: the rest of the line, and on while it ends in \.
func (p *sedParser) appended(c *sedCommand) {
	text := strings.TrimLeft(p.text, " \t")
	text = strings.TrimPrefix(text, "\\")
	text = strings.TrimPrefix(text, "\n")
	var b strings.Builder
	for {
		line, rest, more := strings.Cut(text, "\n")
		text = rest
		if strings.HasSuffix(line, `\`) && more {
			b.WriteString(line[:len(line)-1] + "\n")
			continue
		}
		b.WriteString(line)
		break
	}
	c.text, p.text = b.String()+"\n", text
}
