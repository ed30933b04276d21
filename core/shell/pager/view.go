package pager

import (
	"fmt"
	"strings"
)

// place is a row of a line.
type place struct{ line, row int }

func (a place) before(b place) bool { return a.line < b.line || a.line == b.line && a.row < b.row }

// maxSide bounds what a terminal says of its size.
const maxSide = 500

// size is the terminal's, one row of which is the status line.
func (p *pager) size() (columns, rows int) {
	columns, rows = p.console.Size()
	if columns <= 0 || rows <= 0 {
		columns, rows = 80, 24
	}
	return min(columns, maxSide), max(min(rows, maxSide)-1, 1)
}

// gutter is the room of the lines' numbers.
func (p *pager) gutter() int {
	if p.opts.Number {
		return 8
	}
	return 0
}

// rows lays a line out.
func (p *pager) rows(line int) [][]cell {
	cells := p.cells(p.lines[line])
	columns, _ := p.size()
	columns = max(columns-p.gutter(), 1)
	if p.opts.Chop {
		return [][]cell{chop(cells, p.shift, columns)}
	}
	return fold(cells, columns)
}

// last is the top of the last screen of what has been read.
func (p *pager) last() place {
	if len(p.lines) == 0 {
		return place{}
	}
	_, rows := p.size()
	end := len(p.lines) - 1
	return p.back(place{end, len(p.rows(end)) - 1}, rows-1)
}

// back is n rows before a place.
func (p *pager) back(at place, n int) place {
	for ; n > 0 && p.ctx.Err() == nil; n-- {
		switch {
		case at.row > 0:
			step := min(n, at.row)
			at.row, n = at.row-step, n-step+1
		case at.line == 0:
			return at
		default:
			at.line--
			at.row = 0
			if !p.opts.Chop {
				at.row = len(p.rows(at.line)) - 1
			}
		}
	}
	return at
}

// forward goes n rows on, and not beyond the last screen; one that a search has led there stays.
func (p *pager) forward(n int) {
	last := p.last()
	for ; n > 0 && p.top.before(last) && p.ctx.Err() == nil; n-- {
		if p.top.row+1 < len(p.rows(p.top.line)) {
			p.top.row++
		} else {
			p.top = place{p.top.line + 1, 0}
		}
	}
}

// draw shows the screen that begins at top.
func (p *pager) draw() {
	columns, rows := p.size()
	var b strings.Builder
	b.WriteString("\x1b[H")
	drawn := 0
	next := p.top.line
	for skip := p.top.row; drawn < rows && next < len(p.lines); next++ {
		colors := ""
		for i, row := range p.rows(next) {
			if i >= skip && drawn < rows {
				if p.opts.Number {
					fmt.Fprintf(&b, "%7s ", map[bool]string{true: fmt.Sprint(next + 1)}[i == 0])
				}
				paint(&b, colors, row)
				b.WriteString("\x1b[K\r\n")
				drawn++
			}
			colors = carry(colors, row)
		}
		skip = 0
	}
	for ; drawn < rows; drawn++ {
		b.WriteString("~\x1b[K\r\n")
	}
	b.WriteString(p.status(columns-1) + "\x1b[K")
	p.write(b.String())
}

// status is the last row: what is being typed, a message, or where one is.
func (p *pager) status(columns int) string {
	switch {
	case p.asking != "":
		text := visible(p.asking + p.typed)
		for len(text) > columns && columns > 0 { // the end is what is looked at
			text = text[1:]
		}
		return strings.ToValidUTF8(text, "")
	case p.pending != nil:
		return inverse("reading… (ctrl-c stops)", columns)
	case p.message != "":
		return inverse(p.message, columns)
	case p.whole != nil && !p.top.before(p.last()):
		name := ""
		if p.fresh && p.opts.Name != "" {
			name = p.opts.Name + " "
		}
		return inverse(name+"(END)", columns)
	case p.fresh && p.opts.Name != "":
		return inverse(p.opts.Name, columns)
	}
	return ":" + p.count
}

func inverse(text string, columns int) string {
	runes := []rune(visible(text))
	return "\x1b[7m" + string(runes[:min(len(runes), max(columns, 1))]) + "\x1b[m"
}
