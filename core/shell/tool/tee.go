package tool

import (
	"io"
	"os"

	"github.com/spf13/pflag"
)

func init() { tools["tee"] = tee }

func tee(t *T) int {
	var appending bool
	files, code, ok := t.flags("[-ai] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&appending, "append", "a", false, "")
		f.BoolP("ignore-interrupts", "i", false, "")
	})
	if !ok {
		return code
	}
	mode := os.O_TRUNC
	if appending {
		mode = os.O_APPEND
	}
	writers := []io.Writer{t.out}
	for _, name := range files {
		f, err := t.OpenFile(name, os.O_WRONLY|os.O_CREATE|mode, 0o644)
		if !t.failed(name, err) {
			defer f.Close()
			writers = append(writers, f)
		}
	}
	_, err := io.Copy(io.MultiWriter(writers...), onlyReader{t.in})
	t.failed("read error", err)
	return 0
}
