package pager

import (
	"strconv"
	"unicode/utf8"
)

// help is what h shows.
const help = `space f ctrl-f PageDown   forward one screen
b ctrl-b PageUp           back one screen
d u                       forward, back half a screen
j k Enter arrows          forward, back one line
g Home   G End            the first line, the last line; 20g the line 20
F                         the end, and what is still to come
left right                to the side (less -S)
/text  ?text              search forward, back; a regular expression
n N                       the next one, the one before
:n :p                     the next file, the one before
=                         which line this is
r ctrl-l                  draw again
q                         end
`

// maxTyped bounds a pattern that is typed, maxCount a number's digits.
const (
	maxTyped = 256
	maxCount = 9
)

// key does what a key asks for. What was still being waited for is given up.
func (p *pager) key(key string) (end End, done bool) {
	p.pending, p.follow, p.message = nil, false, ""
	if p.asking != "" {
		return p.ask(key)
	}
	if len(key) == 1 && key >= "0" && key <= "9" {
		if len(p.count) < maxCount {
			p.count += key
		}
		return 0, false
	}
	number, _ := strconv.Atoi(p.count)
	p.count, p.fresh = "", false
	times := max(number, 1)
	_, rows := p.size()
	switch key {
	case "q", "Q":
		return Quit, true
	case " ", "f", "\x06", "\x16", "page-down":
		p.forward(rows * min(times, maxSide))
	case "b", "\x02", "page-up":
		p.top = p.back(p.top, rows*min(times, maxSide))
	case "d", "\x04":
		p.forward(max(rows/2, 1))
	case "u", "\x15":
		p.top = p.back(p.top, max(rows/2, 1))
	case "j", "e", "\r", "\n", "\x0e", "down":
		p.forward(times)
	case "k", "y", "\x10", "up":
		p.top = p.back(p.top, times)
	case "g", "<", "home":
		p.to(times - 1)
	case "G", ">", "end":
		if number > 0 {
			p.to(number - 1)
		} else {
			p.wait(func() bool { p.top = p.last(); return p.whole != nil })
		}
	case "F":
		p.follow = true
		p.wait(func() bool { p.top = p.last(); return p.whole != nil })
	case "left", "right":
		p.sideways(key)
	case "/", "?", ":":
		p.asking, p.typed = key, ""
	case "n":
		p.search(p.backwards)
	case "N":
		p.search(!p.backwards)
	case "=", "\x07":
		p.message = p.where()
	case "h", "H":
		p.help()
	case "r", "\x0c", "\x03", "":
	default:
		p.message = "h for help, q to end"
	}
	return 0, false
}

// ask takes a key of a pattern, or of what follows a colon.
func (p *pager) ask(key string) (end End, done bool) {
	asked := p.asking
	switch r, _ := utf8.DecodeRuneInString(key); {
	case asked == ":":
		p.asking = ""
		end, done = map[string]End{"n": Next, "p": Previous, "q": Quit}[key], key == "n" || key == "p" || key == "q"
	case key == "\r" || key == "\n":
		p.asking = ""
		p.find(p.typed, asked == "?")
	case key == "\x03":
		p.asking = ""
	case key == "\x15":
		p.typed = ""
	case key == "\x7f" || key == "\b":
		if p.typed == "" {
			p.asking = ""
		}
		_, size := utf8.DecodeLastRuneInString(p.typed)
		p.typed = p.typed[:len(p.typed)-size]
	case r >= ' ' && len(key) == utf8.RuneLen(r) && len(p.typed)+len(key) <= maxTyped:
		p.typed += key
	}
	return end, done
}

// to goes to a line, when it has been read.
func (p *pager) to(line int) {
	p.wait(func() bool {
		if line >= len(p.lines) && p.whole == nil {
			return false
		}
		p.top = place{max(min(line, len(p.lines)-1), 0), 0}
		if last := p.last(); last.before(p.top) {
			p.top = last
		}
		return true
	})
}

// sideways moves a chopped text by half a screen.
func (p *pager) sideways(key string) {
	if !p.opts.Chop {
		p.message = "lines are folded; less -S shows them whole"
		return
	}
	columns, _ := p.size()
	step := max(columns/2, 1)
	if key == "left" {
		step = -step
	}
	p.shift = min(max(p.shift+step, 0), maxLine)
}
