package tool

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

func init() { tools["cut"] = cut }

// span is an inclusive range of positions, from 1.
type span struct{ from, to int }

func cut(t *T) int {
	var bytes, chars, fields, delim, outDelim string
	var only, complement bool
	files, code, ok := t.flags("{-b LIST | -c LIST | -f LIST [-d SEP] [-s]} [FILE]...", func(f *pflag.FlagSet) {
		f.StringVarP(&bytes, "bytes", "b", "", "")
		f.StringVarP(&chars, "characters", "c", "", "")
		f.StringVarP(&fields, "fields", "f", "", "")
		f.StringVarP(&delim, "delimiter", "d", "\t", "")
		f.StringVar(&outDelim, "output-delimiter", "", "")
		f.BoolVarP(&only, "only-delimited", "s", false, "")
		f.BoolVar(&complement, "complement", false, "")
		f.BoolP("nothing", "n", false, "")
	})
	if !ok {
		return code
	}
	spans, err := spans(bytes + chars + fields)
	if err != nil {
		t.fail("expected a list of bytes, characters, or fields")
		return 1
	}
	if outDelim == "" {
		outDelim = delim
	}
	spans = merged(spans, complement)
	t.each(files, func(_ string, r io.Reader) error {
		return t.lines(r, func(line string) error {
			next := picking(spans)
			switch {
			case bytes != "":
				for i := range len(line) {
					if next() {
						_ = t.out.WriteByte(line[i])
					}
				}
			case fields == "":
				for _, r := range line {
					if next() {
						_, _ = t.out.WriteRune(r)
					}
				}
			case !strings.Contains(line, delim):
				if only {
					return nil
				}
				t.print(line)
			default:
				t.fields(line, delim, outDelim, next)
			}
			t.print("\n")
			return nil
		})
	})
	return 0
}

// fields prints those fields of a line that are picked, one by one: there may be millions, and what is put between
// them may be long.
func (t *T) fields(line, delim, between string, picked func() bool) {
	first := true
	for more := true; more && t.ctx.Err() == nil; {
		var field string
		if field, line, more = nextField(line, delim); !picked() {
			continue
		}
		if !first {
			t.print(between)
		}
		first = false
		t.print(field)
	}
}

// nextField takes a field off a line; more if another follows. An empty delimiter stands behind each character.
func nextField(line, delim string) (field, rest string, more bool) {
	if delim != "" {
		return strings.Cut(line, delim)
	}
	_, size := utf8.DecodeRuneInString(line)
	return line[:size], line[size:], size < len(line)
}

// merged are the spans in order, none of which begins within another; or all between them.
func merged(spans []span, complement bool) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := spans[:0]
	for _, s := range spans {
		switch last := len(out) - 1; {
		case s.from > s.to:
		case last >= 0 && s.from <= out[last].to:
			out[last].to = max(out[last].to, s.to)
		default:
			out = append(out, s)
		}
	}
	if !complement {
		return out
	}
	var others []span
	from := 1
	for _, s := range out {
		if from < s.from {
			others = append(others, span{from, s.from - 1})
		}
		if s.to == math.MaxInt {
			return others
		}
		from = s.to + 1
	}
	return append(others, span{from, math.MaxInt})
}

// picking tells of one position after the other, from 1, whether it is in merged spans.
func picking(spans []span) (next func() bool) {
	at := 0
	return func() bool {
		at++
		for len(spans) > 0 && spans[0].to < at {
			spans = spans[1:]
		}
		return len(spans) > 0 && spans[0].from <= at
	}
}

// spans reads 1,3-5,7-.
func spans(list string) ([]span, error) {
	var out []span
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		s := span{1, math.MaxInt}
		var err error
		if from != "" {
			if s.from, err = strconv.Atoi(from); err != nil {
				return nil, err
			}
		}
		if !ranged {
			s.to = s.from
			if from == "" {
				return nil, strconv.ErrSyntax
			}
		} else if to != "" {
			if s.to, err = strconv.Atoi(to); err != nil {
				return nil, err
			}
		}
		out = append(out, s)
	}
	return out, nil
}
