package tool

import (
	"io"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

func init() { tools["rev"] = rev }

// rev prints each line from its end to its beginning.
func rev(t *T) int {
	files, code, ok := t.flags("[FILE]...", func(*pflag.FlagSet) {})
	if !ok {
		return code
	}
	t.each(files, func(_ string, r io.Reader) error {
		return t.lines(r, func(line string) error {
			for line != "" {
				letter, size := utf8.DecodeLastRuneInString(line)
				line = line[:len(line)-size]
				_, _ = t.out.WriteRune(letter)
			}
			t.print("\n")
			return nil
		})
	})
	return 0
}
