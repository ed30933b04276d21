package tool

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["sort"] = sortTool }

type sortKey struct {
	from, to        int // fields, from 1; to 0 is the end
	numeric, human  bool
	fold, version   bool
	reverse, blanks bool
}

func sortTool(t *T) int {
	var o sortKey
	var unique, check, stable, zero bool
	var separator, output string
	var keySpecs []string
	files, code, ok := t.flags("[-nrufbhVsz] [-k KEY] [-t CHAR] [-o FILE] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&o.numeric, "numeric-sort", "n", false, "")
		f.BoolVarP(&o.numeric, "general-numeric-sort", "g", false, "")
		f.BoolVarP(&o.human, "human-numeric-sort", "h", false, "")
		f.BoolVarP(&o.reverse, "reverse", "r", false, "")
		f.BoolVarP(&o.fold, "ignore-case", "f", false, "")
		f.BoolVarP(&o.blanks, "ignore-leading-blanks", "b", false, "")
		f.BoolVarP(&o.version, "version-sort", "V", false, "")
		f.BoolVarP(&unique, "unique", "u", false, "")
		f.BoolVarP(&check, "check", "c", false, "")
		f.BoolVarP(&stable, "stable", "s", false, "")
		f.BoolVarP(&zero, "zero-terminated", "z", false, "")
		f.StringVarP(&separator, "field-separator", "t", "", "")
		f.StringVarP(&output, "output", "o", "", "")
		f.StringArrayVarP(&keySpecs, "key", "k", nil, "")
	})
	if !ok {
		return code
	}
	keys := []sortKey{o}
	if len(keySpecs) > 0 {
		keys = nil
		for _, spec := range keySpecs {
			key, ok := parseKey(spec, o)
			if !ok {
				t.fail("bad field specification '%s'", spec)
				return 2
			}
			keys = append(keys, key)
		}
	}
	end := byte('\n')
	if zero {
		end = 0
	}
	var lines []string
	t.each(files, func(_ string, r io.Reader) error {
		return t.records(r, end, func(line string) error {
			lines = append(lines, line)
			return t.hold(len(line) + lineOverhead)
		})
	})
	if t.holds() > maxHeld || t.code != 0 { // what cannot be read is not left out in silence
		return 2
	}
	work, ended := 0, false
	compare := func(a, b string) int {
		for _, key := range keys {
			if work += 64 + min(len(a), len(b)); work > 1<<16 {
				work, ended = 0, t.ctx.Err() != nil
			}
			if ended {
				return 0 // all the same: it is soon over
			}
			if order := key.compare(a, b, separator); order != 0 {
				return order
			}
		}
		return 0
	}
	if check {
		for i := 1; i < len(lines); i++ {
			if order := compare(lines[i-1], lines[i]); order > 0 || unique && order == 0 {
				t.fail("disorder: %s", lines[i])
				return 1
			}
		}
		return 0
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		order := compare(a, b)
		if order == 0 && !unique && !stable {
			order = strings.Compare(a, b)
			if o.reverse {
				order = -order
			}
		}
		return order
	})
	if unique {
		lines = slices.CompactFunc(lines, func(a, b string) bool { return compare(a, b) == 0 })
	}
	out := t.out
	if output != "" {
		f, err := t.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if t.failed(output, err) {
			return 2
		}
		defer f.Close()
		out = bufio.NewWriter(f)
	}
	for _, line := range lines {
		_, _ = out.WriteString(line)
		_ = out.WriteByte(end)
	}
	if output != "" {
		t.failed(output, out.Flush())
	}
	return 0
}

// parseKey reads F[.C][opts][,F[.C][opts]]; characters within fields are not looked at.
func parseKey(spec string, key sortKey) (sortKey, bool) {
	start, end, _ := strings.Cut(spec, ",")
	for i, part := range []string{start, end} {
		digits := 0
		for digits < len(part) && (part[digits] >= '0' && part[digits] <= '9' || part[digits] == '.') {
			digits++
		}
		field, _, _ := strings.Cut(part[:digits], ".")
		n, err := strconv.Atoi(field)
		if part != "" && err != nil || i == 0 && n < 1 {
			return key, false
		}
		if i == 0 {
			key.from = n
		} else {
			key.to = n
		}
		for _, letter := range part[digits:] {
			switch letter {
			case 'n', 'g':
				key.numeric = true
			case 'h':
				key.human = true
			case 'r':
				key.reverse = true
			case 'f':
				key.fold = true
			case 'b':
				key.blanks = true
			case 'V':
				key.version = true
			default:
				return key, false
			}
		}
	}
	return key, true
}

func (k sortKey) compare(a, b, separator string) int {
	a, b = k.field(a, separator), k.field(b, separator)
	order := 0
	switch {
	case k.numeric || k.human:
		x, y := k.number(a), k.number(b)
		order = oneIf(x > y) - oneIf(x < y)
	case k.version:
		order = compareVersions(a, b)
	default:
		if k.fold {
			a, b = strings.ToUpper(a), strings.ToUpper(b)
		}
		order = strings.Compare(a, b)
	}
	if k.reverse {
		return -order
	}
	return order
}

func (k sortKey) field(line, separator string) string {
	if k.from > 0 {
		if separator != "" {
			line = k.separated(line, separator)
		} else {
			line = k.words(line)
		}
	}
	if k.blanks {
		line = strings.TrimLeft(line, " \t")
	}
	return line
}

// separated is the key's part of a line, as it stands there.
func (k sortKey) separated(line, separator string) string {
	begin, at := 0, 0
	for n := 1; ; n++ {
		if n == k.from {
			begin = at
		}
		i := strings.Index(line[at:], separator)
		switch {
		case i < 0 && (n < k.from || k.to > 0 && k.to < k.from):
			return ""
		case i < 0:
			return line[begin:]
		case n == k.to && n >= k.from:
			return line[begin : at+i]
		}
		at += i + len(separator)
	}
}

// words is the key's part of a line, with one space between two fields.
func (k sortKey) words(line string) string {
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(line) {
		if n++; k.to > 0 && n > k.to {
			break
		}
		if n < k.from {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

func (k sortKey) number(text string) float64 {
	text = strings.TrimLeft(text, " \t")
	end := 0
	for end < len(text) && strings.IndexByte("+-.0123456789", text[end]) >= 0 {
		end++
	}
	value, _ := strconv.ParseFloat(text[:end], 64)
	if k.human && end < len(text) {
		for i, unit := range "KMGTP" {
			if rune(text[end]&^0x20) == unit {
				for range i + 1 {
					value *= 1024
				}
			}
		}
	}
	return value
}

// compareVersions compares runs of digits as numbers.
func compareVersions(a, b string) int {
	digits := func(text string) int {
		n := 0
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		return n
	}
	for a != "" && b != "" {
		if x, y := digits(a), digits(b); x > 0 && y > 0 {
			na, nb := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if len(na) != len(nb) {
				return len(na) - len(nb)
			}
			if order := strings.Compare(na, nb); order != 0 {
				return order
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}
