package tool

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func init() {
	tools["hexdump"] = hexdump
	tools["hd"] = hexdump
}

// hexdump shows bytes sixteen to a line, equal lines as one "*"; with -C, or as hd, beside the
// characters, else as words of two bytes.
func hexdump(t *T) int {
	canonical := t.name == "hd"
	var verbose bool
	var skip, length int64
	files, code, ok := t.flags("[-Cv] [-s SKIP] [-n LEN] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&canonical, "canonical", "C", canonical, "")
		f.BoolVarP(&verbose, "no-squeezing", "v", false, "")
		f.Int64VarP(&skip, "skip", "s", 0, "")
		f.Int64VarP(&length, "length", "n", -1, "")
	})
	if !ok {
		return code
	}
	in := t.in
	if len(files) > 0 {
		var readers []io.Reader
		for _, file := range files {
			f, err := t.open(file)
			if t.failed("can't open '"+file+"'", err) {
				continue
			}
			defer f.Close()
			readers = append(readers, f)
		}
		if len(readers) == 0 {
			return 1
		}
		in = io.MultiReader(readers...)
	}
	if _, err := io.CopyN(io.Discard, in, skip); err != nil && skip > 0 {
		t.failed("read", ignoreEOF(err))
		return t.code
	}
	if length >= 0 {
		in = io.LimitReader(in, length)
	}
	at, last, squeezed := skip, "", false
	for t.ctx.Err() == nil {
		line := make([]byte, 16)
		n, err := io.ReadFull(in, line)
		if n == 0 {
			t.failed("read", ignoreEOF(err))
			break
		}
		shown := hexLine(line[:n], canonical)
		if shown != last || verbose || n < 16 {
			t.printf("%0*x%s\n", offsetWidth(canonical), at, shown)
			squeezed = false
		} else if !squeezed {
			t.print("*\n")
			squeezed = true
		}
		last = shown
		at += int64(n)
	}
	if at > skip {
		t.printf("%0*x\n", offsetWidth(canonical), at)
	}
	return 0
}

func offsetWidth(canonical bool) int {
	if canonical {
		return 8
	}
	return 7
}

// ignoreEOF is nil at the end of the input.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func hexLine(data []byte, canonical bool) string {
	var b strings.Builder
	if !canonical {
		for i := 0; i < len(data); i += 2 {
			word := uint16(data[i])
			if i+1 < len(data) {
				word |= uint16(data[i+1]) << 8
			}
			fmt.Fprintf(&b, " %04x", word)
		}
		return b.String()
	}
	for i := range 16 {
		if i%8 == 0 {
			b.WriteByte(' ')
		}
		if i < len(data) {
			fmt.Fprintf(&b, " %02x", data[i])
		} else {
			b.WriteString("   ")
		}
	}
	b.WriteString("  |")
	for _, c := range data {
		if c < ' ' || c > '~' {
			c = '.'
		}
		b.WriteByte(c)
	}
	b.WriteByte('|')
	return b.String()
}
