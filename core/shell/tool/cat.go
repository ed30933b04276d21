package tool

import (
	"io"

	"github.com/spf13/pflag"
)

func init() { tools["cat"] = cat }

func cat(t *T) int {
	var number, numberNonBlank, ends, tabs, squeeze bool
	files, code, ok := t.flags("[-nbeEtTsu] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&number, "number", "n", false, "")
		f.BoolVarP(&numberNonBlank, "number-nonblank", "b", false, "")
		f.BoolVarP(&ends, "show-ends", "E", false, "")
		f.BoolVarP(&ends, "ends", "e", false, "")
		f.BoolVarP(&tabs, "show-tabs", "T", false, "")
		f.BoolVarP(&tabs, "tabs", "t", false, "")
		f.BoolVarP(&squeeze, "squeeze-blank", "s", false, "")
		f.BoolP("unbuffered", "u", false, "")
	})
	if !ok {
		return code
	}
	count, blank := 0, false
	t.each(files, func(_ string, r io.Reader) error {
		if !number && !numberNonBlank && !ends && !tabs && !squeeze {
			_, err := copyTo(t.out, r)
			return err
		}
		return t.lines(r, func(line string) error {
			if squeeze && line == "" && blank {
				return nil
			}
			blank = line == ""
			if number && !numberNonBlank || numberNonBlank && line != "" {
				count++
				t.printf("%6d\t", count)
			}
			if tabs {
				line = replaceTabs(line)
			}
			if ends {
				line += "$"
			}
			t.print(line + "\n")
			return nil
		})
	})
	return 0
}

// onlyReader hides WriterTo, so that every read is paced.
type onlyReader struct{ io.Reader }

func replaceTabs(line string) string {
	out := ""
	for _, r := range line {
		if r == '\t' {
			out += "^I"
		} else {
			out += string(r)
		}
	}
	return out
}
