package tool

import (
	"io"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

func init() { tools["wc"] = wc }

type counts struct{ lines, words, bytes, chars, longest int }

func wc(t *T) int {
	var l, w, c, m, longest bool
	files, code, ok := t.flags("[-clmwL] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&l, "lines", "l", false, "")
		f.BoolVarP(&w, "words", "w", false, "")
		f.BoolVarP(&c, "bytes", "c", false, "")
		f.BoolVarP(&m, "chars", "m", false, "")
		f.BoolVarP(&longest, "max-line-length", "L", false, "")
	})
	if !ok {
		return code
	}
	if !l && !w && !c && !m && !longest {
		l, w, c = true, true, true
	}
	single := len(files) < 2 && oneIf(l)+oneIf(w)+oneIf(c)+oneIf(m)+oneIf(longest) == 1
	show := func(n counts, name string) {
		text := ""
		for _, column := range []struct {
			on    bool
			value int
		}{{l, n.lines}, {w, n.words}, {c, n.bytes}, {m, n.chars}, {longest, n.longest}} {
			if column.on {
				value := itoa(column.value)
				for !single && len(value) < 9 {
					value = " " + value
				}
				text += " " + value
			}
		}
		if name != "-" && name != "" {
			text += " " + name
		}
		t.print(text[1:] + "\n")
	}
	var total counts
	t.each(files, func(name string, r io.Reader) error {
		n, err := countAll(r)
		if err == nil {
			show(n, name)
		}
		total.lines += n.lines
		total.words += n.words
		total.bytes += n.bytes
		total.chars += n.chars
		total.longest = max(total.longest, n.longest)
		return err
	})
	if len(files) > 1 {
		show(total, "total")
	}
	return 0
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func countAll(r io.Reader) (n counts, err error) {
	buf := make([]byte, 32<<10)
	inWord, length := false, 0
	for {
		k, err := r.Read(buf)
		n.bytes += k
		for _, b := range buf[:k] {
			if utf8.RuneStart(b) {
				n.chars++
				length++
			}
			space := b == ' ' || b >= '\t' && b <= '\r'
			if inWord && space {
				inWord = false
			} else if !space && !inWord {
				inWord = true
				n.words++
			}
			if b == '\n' {
				n.lines++
				n.longest = max(n.longest, length-1)
				length = 0
			}
		}
		if err == io.EOF {
			n.longest = max(n.longest, length)
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
