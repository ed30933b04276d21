package nginx

import (
	"fmt"
	"strings"
	"unicode"
)

// directive is one of a configuration file: a simple one, or one with a block.
type directive struct {
	name  string
	args  []string
	block []directive
	isBlk bool
	file  string
	line  int
}

// errorf is an error at the directive, in nginx' words.
func (d directive) errorf(format string, args ...any) error {
	return fmt.Errorf("%s in %s:%d", fmt.Sprintf(format, args...), d.file, d.line)
}

// parser reads one file.
type parser struct {
	text string
	pos  int
	file string
	line int
	deep int // blocks that it is in
}

// maxDeep bounds blocks within blocks: the parser calls itself for each.
const maxDeep = 100

// parse reads the text of a file.
func parse(file, text string) ([]directive, error) {
	p := &parser{text: text, file: file, line: 1}
	return p.block(false)
}

// block reads directives to the end of the file, or to "}" if inside one.
func (p *parser) block(inside bool) ([]directive, error) {
	var list []directive
	var words []string
	line := 0
	for {
		tok, quoted, err := p.token()
		if err != nil {
			return nil, err
		}
		if len(words) == 0 {
			line = p.line
		}
		switch {
		case tok == "" && !quoted: // the end of the file
			if inside || len(words) > 0 {
				return nil, fmt.Errorf(`unexpected end of file, expecting %s in %s:%d`, expecting(words), p.file, p.line)
			}
			return list, nil
		case quoted || !strings.Contains(";{}", tok):
			words = append(words, tok)
		case tok == "}":
			if !inside || len(words) > 0 {
				return nil, fmt.Errorf(`unexpected "}" in %s:%d`, p.file, p.line)
			}
			return list, nil
		case len(words) == 0:
			return nil, fmt.Errorf("unexpected %q in %s:%d", tok, p.file, p.line)
		default:
			d := directive{name: words[0], args: words[1:], file: p.file, line: line, isBlk: tok == "{"}
			if d.isBlk {
				if p.deep++; p.deep > maxDeep {
					return nil, d.errorf("blocks are nested too deeply")
				}
				if d.block, err = p.block(true); err != nil {
					return nil, err
				}
				p.deep--
			}
			list, words = append(list, d), nil
		}
	}
}

func expecting(words []string) string {
	if len(words) > 0 {
		return `";" or "}"`
	}
	return `"}"`
}

// token is a word, ";", "{" or "}"; "" at the end. quoted is true of a word in quotes.
func (p *parser) token() (tok string, quoted bool, err error) {
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == '\n':
			p.line++
			p.pos++
		case unicode.IsSpace(rune(c)):
			p.pos++
		case c == '#':
			for p.pos < len(p.text) && p.text[p.pos] != '\n' {
				p.pos++
			}
		case c == ';' || c == '{' || c == '}':
			p.pos++
			return string(c), false, nil
		case c == '"' || c == '\'':
			tok, err = p.quoted(c)
			return tok, true, err
		default:
			return p.word(), false, nil
		}
	}
	return "", false, nil
}

func (p *parser) word() string {
	var b strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == '$' && strings.HasPrefix(p.text[p.pos:], "${"):
			if end := strings.IndexByte(p.text[p.pos:], '}'); end > 0 {
				b.WriteString(p.text[p.pos : p.pos+end+1])
				p.pos += end + 1
				continue
			}
		case c == '\\' && p.pos+1 < len(p.text):
			b.WriteString(p.text[p.pos : p.pos+2]) // kept: a regular expression may want it
			p.pos += 2
			continue
		case c == ';' || c == '{' || c == '}' || unicode.IsSpace(rune(c)):
			return b.String()
		}
		b.WriteByte(c)
		p.pos++
	}
	return b.String()
}

func (p *parser) quoted(quote byte) (string, error) {
	var b strings.Builder
	for p.pos++; p.pos < len(p.text); p.pos++ {
		c := p.text[p.pos]
		switch c {
		case quote:
			p.pos++
			return b.String(), nil
		case '\n':
			p.line++
		case '\\':
			if p.pos+1 < len(p.text) {
				p.pos++
				switch next := p.text[p.pos]; next {
				case 'n':
					b.WriteByte('\n')
				case 't':
					b.WriteByte('\t')
				case 'r':
					b.WriteByte('\r')
				case '"', '\'', '\\':
					b.WriteByte(next)
				default:
					b.WriteByte('\\')
					b.WriteByte(next)
				}
				continue
			}
		}
		b.WriteByte(c)
	}
	return "", fmt.Errorf(`unexpected end of file, expecting ";" or "}" in %s:%d`, p.file, p.line)
}
