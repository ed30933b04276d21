package tool

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["tr"] = tr }

func tr(t *T) int {
	var remove, squeeze, complement bool
	args, code, ok := t.flags("[-cds] STRING1 [STRING2]", func(f *pflag.FlagSet) {
		f.BoolVarP(&remove, "delete", "d", false, "")
		f.BoolVarP(&squeeze, "squeeze-repeats", "s", false, "")
		f.BoolVarP(&complement, "complement", "c", false, "")
		f.BoolVarP(&complement, "Complement", "C", false, "")
	})
	if !ok {
		return code
	}
	if len(args) == 0 || len(args) == 1 && !remove && !squeeze {
		return t.usage("[-cds] STRING1 [STRING2]")
	}
	from := runeSet(args[0])
	var to []rune
	if len(args) > 1 {
		to = runeSet(args[1])
	}
	squeezed := to
	if squeeze && (len(to) == 0) {
		squeezed = from
	}
	in := func(set []rune, r rune, complement bool) bool { return slices.Contains(set, r) != complement }
	reader := bufio.NewReader(t.in)
	last := rune(-1)
	for n := 0; ; n++ {
		r, _, err := reader.ReadRune()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.failed("standard input", err)
			}
			return 0
		}
		switch {
		case remove && in(from, r, complement):
			continue
		case !remove && len(to) > 0 && in(from, r, complement):
			if i := slices.Index(from, r); i >= 0 && !complement {
				r = to[min(i, len(to)-1)]
			} else {
				r = to[len(to)-1]
			}
		}
		if squeeze && r == last && in(squeezed, r, complement && len(to) == 0) {
			continue
		}
		last = r
		_, _ = t.out.WriteRune(r)
	}
}

// runeSet expands a-z, [:alpha:] and escapes.
func runeSet(text string) []rune {
	ranges := map[string]string{
		"alpha": "A-Za-z", "digit": "0-9", "alnum": "0-9A-Za-z", "upper": "A-Z", "lower": "a-z",
		"space": "\t-\r ", "blank": " \t", "punct": "!-/:-@[-`{-~", "cntrl": "\x00-\x1f\x7f",
		"print": " -~", "graph": "!-~", "xdigit": "0-9A-Fa-f",
	}
	var set []rune
	runes := []rune(text)
	one := func(i int) (rune, int) {
		if runes[i] != '\\' || i+1 == len(runes) {
			return runes[i], i + 1
		}
		if j := strings.IndexRune(`abfnrtv\`, runes[i+1]); j >= 0 {
			return rune("\a\b\f\n\r\t\v\\"[j]), i + 2
		}
		end := i + 1
		for end < len(runes) && end < i+4 && runes[end] >= '0' && runes[end] <= '7' {
			end++
		}
		if end > i+1 {
			value, _ := strconv.ParseInt(string(runes[i+1:end]), 8, 32)
			return rune(value), end
		}
		return runes[i+1], i + 2
	}
	for i := 0; i < len(runes); {
		if rest := string(runes[i:]); strings.HasPrefix(rest, "[:") {
			if name, _, ok := strings.Cut(rest[2:], ":]"); ok && ranges[name] != "" {
				set = append(set, runeSet(ranges[name])...)
				i += len([]rune(name)) + 4
				continue
			}
		}
		r, next := one(i)
		if next+1 < len(runes) && runes[next] == '-' {
			last, after := one(next + 1)
			for ; r <= last; r++ {
				set = append(set, r)
			}
			i = after
			continue
		}
		set = append(set, r)
		i = next
	}
	return set
}
