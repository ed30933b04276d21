package tool

import (
	"io"
	"math"
	"strconv"
	"strings"

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
	pick := func(n int) (kept []int) {
		for i := 1; i <= n; i++ {
			if inSpans(spans, i) != complement {
				kept = append(kept, i-1)
			}
		}
		return kept
	}
	t.each(files, func(_ string, r io.Reader) error {
		return t.lines(r, func(line string) error {
			if fields == "" {
				runes := []rune(line)
				if bytes != "" {
					for _, i := range pick(len(line)) {
						_ = t.out.WriteByte(line[i])
					}
				} else {
					for _, i := range pick(len(runes)) {
						_, _ = t.out.WriteRune(runes[i])
					}
				}
				t.print("\n")
				return nil
			}
			if !strings.Contains(line, delim) {
				if !only {
					t.print(line + "\n")
				}
				return nil
			}
			parts := strings.Split(line, delim)
			var kept []string
			for _, i := range pick(len(parts)) {
				kept = append(kept, parts[i])
			}
			t.print(strings.Join(kept, outDelim) + "\n")
			return nil
		})
	})
	return 0
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

func inSpans(spans []span, i int) bool {
	for _, s := range spans {
		if i >= s.from && i <= s.to {
			return true
		}
	}
	return false
}
