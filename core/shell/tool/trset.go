package tool

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// runeSpan is characters from one to another, as a set of tr's lists them; at is the place of the first in the set.
// They are not written out: a-z may stand there a million times, and a range reach over all characters there are.
type runeSpan struct {
	from, to rune
	at       int
}

func (s runeSpan) end() int { return s.at + int(s.to-s.from) + 1 }

// runeSpans is a set.
type runeSpans []runeSpan

// spanMemory is what a byte of a set takes when it is read.
const spanMemory = 40

// rune is the character at a place, or the last one.
func (s runeSpans) rune(at int) rune {
	i, _ := slices.BinarySearchFunc(s, at, func(one runeSpan, at int) int { return one.end() - 1 - at })
	if i == len(s) {
		return s.last()
	}
	return s[i].from + rune(at-s[i].at)
}

func (s runeSpans) last() rune { return s[len(s)-1].to }

// runeTable finds the first place of a character in a set.
type runeTable struct {
	t     *T
	pages map[rune]*runePage
}

// runePage is of 256 characters: their places, from 1.
type runePage struct {
	places [256]int32
	filled int
}

const pageMemory = 2 << 10

func (p *runeTable) fill(set runeSpans) error {
	p.pages = map[rune]*runePage{}
	for _, span := range set {
		for r := span.from; r <= span.to; {
			page := p.pages[r>>8]
			if page == nil {
				if err := p.t.hold(pageMemory); err != nil {
					return err
				}
				page = &runePage{}
				p.pages[r>>8] = page
			}
			next := min((r|0xff)+1, span.to+1)
			if page.filled == len(page.places) {
				r = next
			}
			for ; r < next; r++ {
				if page.places[r&0xff] == 0 {
					page.places[r&0xff] = int32(min(span.at+int(r-span.from)+1, math.MaxInt32))
					page.filled++
				}
			}
		}
		if err := p.t.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// at is a character's first place; -1 if it is not in the set.
func (p *runeTable) at(r rune) int {
	if page := p.pages[r>>8]; page != nil {
		return int(page.places[r&0xff]) - 1
	}
	return -1
}

// runeClasses are the sets that have names.
var runeClasses = map[string]string{
	"alpha": "A-Za-z", "digit": "0-9", "alnum": "0-9A-Za-z", "upper": "A-Z", "lower": "a-z",
	"space": "\t-\r ", "blank": " \t", "punct": "!-/:-@[-`{-~", "cntrl": "\x00-\x1f\x7f",
	"print": " -~", "graph": "!-~", "xdigit": "0-9A-Fa-f",
}

// runeSet reads a-z, [:alpha:] and escapes.
func (t *T) runeSet(text string) (runeSpans, error) {
	if err := t.hold(len(text) * spanMemory); err != nil {
		return nil, err
	}
	var set runeSpans
	at := 0
	for runes := []rune(text); len(runes) > 0; {
		if name := runeClass(runes); name != "" {
			named, err := t.runeSet(runeClasses[name])
			if err != nil {
				return nil, err
			}
			for _, span := range named {
				span.at = at
				set, at = append(set, span), span.end()
			}
			runes = runes[len(name)+4:]
			continue
		}
		from, n := oneRune(runes)
		to := from
		if runes = runes[n:]; len(runes) > 1 && runes[0] == '-' {
			to, n = oneRune(runes[1:])
			runes = runes[1+n:]
		}
		if from <= to {
			span := runeSpan{from, to, at}
			set, at = append(set, span), span.end()
		}
	}
	return set, nil
}

// runeClass is the name of the class that a set goes on with; "" if it does not.
func runeClass(runes []rune) string {
	if len(runes) < 2 || runes[0] != '[' || runes[1] != ':' {
		return ""
	}
	name, _, ok := strings.Cut(string(runes[2:min(12, len(runes))]), ":]")
	if !ok || runeClasses[name] == "" {
		return ""
	}
	return name
}

// oneRune is the character that a set goes on with, and how many it is written with.
func oneRune(runes []rune) (rune, int) {
	if runes[0] != '\\' || len(runes) == 1 {
		return runes[0], 1
	}
	if j := strings.IndexRune(`abfnrtv\`, runes[1]); j >= 0 {
		return rune("\a\b\f\n\r\t\v\\"[j]), 2
	}
	end := 1
	for end < len(runes) && end < 4 && runes[end] >= '0' && runes[end] <= '7' {
		end++
	}
	if end > 1 {
		value, _ := strconv.ParseInt(string(runes[1:end]), 8, 32)
		return rune(value), end
	}
	return runes[1], 2
}
