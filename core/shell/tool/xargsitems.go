package tool

import (
	"errors"
	"io"
	"strings"
)

var (
	errQuote   = errors.New("unmatched quote")
	errTooLong = errors.New("argument line too long")
)

// xargsItems reads the arguments one by one: words, or what stands between two end marks.
type xargsItems struct {
	lines *lineReader
	end   byte
	words bool // split at white space, with quotes and backslashes

	line  string // what is left of it
	ahead *xargsItem
}

type xargsItem struct {
	text string
	line bool // the line ends after it
}

// batch bounds the arguments of one command; 0 is no bound of that kind.
type batch struct{ args, lines, bytes int }

// batch reads the arguments of one command. With io.EOF there are no more after them.
func (x *xargsItems) batch(limit batch) (args []string, err error) {
	size, lines := 0, 0
	for (limit.args <= 0 || len(args) < limit.args) && (limit.lines <= 0 || lines < limit.lines) {
		item, lineEnds, err := x.next()
		if err != nil {
			return args, err
		}
		if size += len(item) + 1; size > limit.bytes {
			if len(args) == 0 {
				return nil, errTooLong
			}
			x.ahead = &xargsItem{item, lineEnds}
			return args, nil
		}
		args = append(args, item)
		if lineEnds {
			lines++
		}
	}
	return args, nil
}

// next gives one argument, and whether its line ends with it.
func (x *xargsItems) next() (item string, lineEnds bool, err error) {
	if x.ahead != nil {
		held := *x.ahead
		x.ahead = nil
		return held.text, held.line, nil
	}
	for {
		if !x.words {
			text, err := x.lines.next(x.end)
			if err != nil {
				return "", false, err
			}
			if len(text) > 0 && text[len(text)-1] == x.end {
				text = text[:len(text)-1]
			}
			if text == "" && x.end == '\n' {
				continue
			}
			return text, true, nil
		}
		if x.line == "" {
			if x.line, err = x.lines.next('\n'); err != nil {
				return "", false, err
			}
		}
		word, ok, err := x.word()
		if ok || err != nil {
			return word, x.line == "" || x.line == "\n", err
		}
	}
}

// word takes a word off the line, which grows where a quote or a backslash spans its end.
func (x *xargsItems) word() (string, bool, error) {
	x.line = strings.TrimLeft(x.line, " \t\n")
	if x.line == "" {
		return "", false, nil
	}
	var word strings.Builder
	quote := byte(0)
	for i := 0; ; i++ {
		if i == len(x.line) {
			x.line, i = "", 0
			if quote != 0 {
				return "", false, errQuote
			}
			return word.String(), true, nil
		}
		c := x.line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0 && c == '\n':
			return "", false, errQuote
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
		case c == '\\' && i+1 < len(x.line):
			i++
			word.WriteByte(x.line[i])
			if i+1 == len(x.line) && x.line[i] == '\n' { // the word goes on on the next line
				more, err := x.lines.next('\n')
				if err != nil && !errors.Is(err, io.EOF) {
					return "", false, err
				}
				x.line, i = more, -1
			}
		case c == ' ' || c == '\t' || c == '\n':
			x.line = x.line[i:]
			return word.String(), true, nil
		default:
			word.WriteByte(c)
		}
		if word.Len() > maxCommand {
			return "", false, errTooLong
		}
	}
}
