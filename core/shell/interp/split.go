package interp

import (
	"strings"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/program"
)

// Fields are split here and not by package expand, which takes every character of IFS for a space: of p::q
// with IFS=: it makes two fields, and there are three.

// ifs is what fields are split at: runs of its spaces, and each of its other characters.
type ifs string

func (s *Shell) ifs() ifs {
	if v := s.lookup("IFS"); v.IsSet() {
		return ifs(v.String())
	}
	return " \t\n"
}

func (i ifs) has(r rune) bool { return strings.ContainsRune(string(i), r) }

// space tells whether r is a space that splits.
func (i ifs) space(r rune) bool { return (r == ' ' || r == '\t' || r == '\n') && i.has(r) }

func (i ifs) first() string {
	_, width := utf8.DecodeRuneInString(string(i))
	return string(i[:width])
}

// spaces tells whether there is nothing else in it.
func (i ifs) spaces() bool { return strings.Trim(string(i), " \t\n") == "" }

// splitter makes fields of texts that stand one after the other.
type splitter struct {
	ifs
	begin func() // a field has ended, and what follows is of another one
	begun bool   // there is something of the current field, though it may be empty
	gap   bool   // spaces have ended the last field: a character of IFS behind them is of the same end
}

// more says that something of the current field is there.
func (sp *splitter) more() { sp.begun, sp.gap = true, false }

// split hands the pieces of text to add, and calls begin between fields.
func (sp *splitter) split(text string, add func(piece string)) {
	from := 0
	for at := 0; at < len(text); {
		r, width := utf8.DecodeRuneInString(text[at:])
		if !sp.has(r) {
			at += width
			continue
		}
		if from < at {
			add(text[from:at])
			sp.more()
		}
		switch at += width; {
		case !sp.space(r) && sp.gap:
			sp.gap = false
		case !sp.space(r):
			sp.end()
		case sp.begun:
			sp.end()
			sp.gap = true
		}
		from = at
	}
	if from < len(text) {
		add(text[from:])
		sp.more()
	}
}

func (sp *splitter) end() {
	sp.begin()
	sp.begun = false
}

// line is what read has read, without the backslashes that keep what follows them from being split.
type line struct {
	ifs
	text string
	kept []bool // for each byte of text, whether a backslash stood before it; nil if none did
}

func (s *Shell) newLine(text string, raw bool) line {
	l := line{ifs: s.ifs(), text: text}
	if raw || !strings.Contains(text, `\`) {
		return l
	}
	l.kept = make([]bool, 0, len(text))
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		escaped := text[i] == '\\'
		if escaped {
			if i++; i == len(text) {
				break
			}
		}
		b.WriteByte(text[i])
		l.kept = append(l.kept, escaped)
	}
	l.text = b.String()
	return l
}

// splits tells whether the character at a place is one of IFS, and how wide it is.
func (l line) splits(at int) (r rune, width int, ok bool) {
	r, width = utf8.DecodeRuneInString(l.text[at:])
	return r, width, width > 0 && l.has(r) && (l.kept == nil || !l.kept[at])
}

// spacesFrom is where the spaces at a place end.
func (l line) spacesFrom(at int) int {
	for {
		r, width, ok := l.splits(at)
		if !ok || !l.space(r) {
			return at
		}
		at += width
	}
}

// field is where the field at a place ends.
func (l line) field(at int) int {
	for at < len(l.text) {
		_, width, ok := l.splits(at)
		if ok {
			break
		}
		at += width
	}
	return at
}

// next is where the field behind one that ends at a place begins.
func (l line) next(at int) int {
	at = l.spacesFrom(at)
	if _, width, ok := l.splits(at); ok {
		at = l.spacesFrom(at + width)
	}
	return at
}

// fieldsOf splits a line in up to n fields, of which the last has all that is left, but for spaces at the end and
// the end of a field that is alone there; -1 is as many as there are. Each is drawn for as long as the command lasts.
func (s *Shell) fieldsOf(l line, n int) []string {
	var fields []string
	for at := l.spacesFrom(0); at < len(l.text); {
		if s.flight.Grow(copies*program.StringMemory) != nil || s.ctx.Err() != nil {
			return nil
		}
		end := l.field(at)
		after := l.next(end)
		if len(fields) == n-1 && after < len(l.text) {
			after, end = len(l.text), len(l.text)
			for end > at {
				if r, _, ok := l.splits(end - 1); !ok || !l.space(r) {
					break
				}
				end--
			}
		}
		fields = append(fields, l.text[at:end])
		at = after
	}
	return fields
}
