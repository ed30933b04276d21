package pager

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// cell is one character as it is shown.
type cell struct {
	text    string
	width   int    // in the terminal's columns; 0 is an accent of the cell before
	inverse bool   // found, or the name of what cannot be shown
	colors  string // sequences that stand before it
}

// color is all that a text may say to the terminal, and only with Options.Colors.
var color = regexp.MustCompile(`\x1b\[[0-9;]{0,32}m`)

// plain is a line without its colours, as it is searched.
func (p *pager) plain(line string) string {
	if !p.opts.Colors {
		return line
	}
	return color.ReplaceAllString(line, "")
}

// cells gives a line's characters. What is not printable becomes its name in inverse: ^[ for escape, as
// less has it, <9B> for a byte that is no UTF-8, <U+202E> for what would turn the line around.
func (p *pager) cells(line string) []cell {
	colors := map[int]string{}
	if p.opts.Colors {
		removed := 0
		for _, at := range color.FindAllStringIndex(line, -1) {
			colors[at[0]-removed] += line[at[0]:at[1]]
			removed += at[1] - at[0]
		}
		line = p.plain(line)
	}
	var found [][]int
	if p.pattern != nil {
		found = slices.Collect(p.pattern.All(p.ctx, line, -1))
	}
	cells := make([]cell, 0, len(line))
	column := 0
	for at := 0; at < len(line); {
		r, size := utf8.DecodeRuneInString(line[at:])
		c := shown(r, size, line[at], column)
		for len(found) > 0 && found[0][1] <= at {
			found = found[1:]
		}
		c.inverse = c.inverse || len(found) > 0 && found[0][0] <= at
		c.colors = colors[at]
		cells = append(cells, c)
		column += c.width
		at += size
	}
	return cells
}

// shown is one character at a column; first is its first byte.
func shown(r rune, size int, first byte, column int) cell {
	name := ""
	switch {
	case r == utf8.RuneError && size == 1:
		name = fmt.Sprintf("<%02X>", first)
	case r == '\t':
		n := 8 - column%8
		return cell{text: strings.Repeat(" ", n), width: n}
	case r < ' ' || r == 0x7f:
		name = "^" + string(r^0x40)
	case unicode.In(r, unicode.Mn, unicode.Me):
		return cell{text: string(r)}
	case !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r):
		name = fmt.Sprintf("<U+%04X>", r)
	default:
		c := cell{text: string(r), width: 1}
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			c.width = 2
		}
		return c
	}
	return cell{text: name, width: len(name), inverse: true}
}

// visible is a text of somebody's in the status line.
func visible(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		b.WriteString(shown(r, size, text[at], 0).text)
		at += size
	}
	return b.String()
}

// fold cuts cells into rows of a width. There is always one.
func fold(cells []cell, columns int) (rows [][]cell) {
	start, used := 0, 0
	for i, c := range cells {
		if used+c.width > columns && i > start {
			rows = append(rows, cells[start:i])
			start, used = i, 0
		}
		used += c.width
	}
	return append(rows, cells[start:])
}

// chop is the part of cells that is seen from a column on; what is cut through is blank.
func chop(cells []cell, from, columns int) []cell {
	for len(cells) > 0 && from > 0 {
		from -= cells[0].width
		cells = cells[1:]
	}
	if from < 0 {
		cells = append([]cell{{text: strings.Repeat(" ", -from), width: -from}}, cells...)
	}
	return fold(cells, columns)[0]
}

// maxColors is how many bytes of colours a row takes over from the one before.
const maxColors = 128

// carry adds the colours of a row to those that it began with.
func carry(colors string, row []cell) string {
	for _, c := range row {
		if c.colors == "" {
			continue
		}
		colors += c.colors
		if strings.HasSuffix(colors, "[m") || strings.HasSuffix(colors, "[0m") {
			colors = ""
		}
		if len(colors) > maxColors {
			colors = c.colors[:len(color.FindString(c.colors))]
		}
	}
	return colors
}

// paint writes a row that begins with colors.
func paint(b *strings.Builder, colors string, row []cell) {
	b.WriteString(colors)
	inverse, colored := false, colors != ""
	for _, c := range row {
		b.WriteString(c.colors)
		colored = colored || c.colors != ""
		if c.inverse != inverse || c.inverse && c.colors != "" {
			inverse = c.inverse
			b.WriteString(map[bool]string{true: "\x1b[7m", false: "\x1b[27m"}[inverse])
		}
		b.WriteString(c.text)
	}
	if inverse || colored {
		b.WriteString("\x1b[m")
	}
}
