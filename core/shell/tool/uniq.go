package tool

import (
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["uniq"] = uniq }

func uniq(t *T) int {
	var number, repeated, single, fold bool
	var skipFields, skipChars int
	files, code, ok := t.flags("[-cdui] [-f N] [-s N] [INPUT]", func(f *pflag.FlagSet) {
		f.BoolVarP(&number, "count", "c", false, "")
		f.BoolVarP(&repeated, "repeated", "d", false, "")
		f.BoolVarP(&single, "unique", "u", false, "")
		f.BoolVarP(&fold, "ignore-case", "i", false, "")
		f.IntVarP(&skipFields, "skip-fields", "f", 0, "")
		f.IntVarP(&skipChars, "skip-chars", "s", 0, "")
	})
	if !ok {
		return code
	}
	last, times := "", 0
	key := func(line string) string {
		for n := 0; n < skipFields && line != ""; n++ {
			line = strings.TrimLeft(line, " \t")
			if i := strings.IndexAny(line, " \t"); i >= 0 {
				line = line[i:]
			} else {
				line = ""
			}
		}
		line = line[min(skipChars, len(line)):]
		if fold {
			line = strings.ToLower(line)
		}
		return line
	}
	show := func() {
		if times == 0 || repeated && times == 1 || single && times > 1 {
			return
		}
		if number {
			t.printf("%7d ", times)
		}
		t.print(last + "\n")
	}
	t.each(files[:min(len(files), 1)], func(_ string, r io.Reader) error {
		return t.lines(r, func(line string) error {
			if times > 0 && key(line) == key(last) {
				times++
				return nil
			}
			show()
			last, times = line, 1
			return nil
		})
	})
	show()
	return 0
}
