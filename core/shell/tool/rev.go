package tool

import (
	"io"
	"slices"

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
			letters := []rune(line)
			slices.Reverse(letters)
			t.print(string(letters) + "\n")
			return nil
		})
	})
	return 0
}
