package tool

import (
	"encoding/base64"
	"errors"
	"io"

	"github.com/spf13/pflag"
)

func init() { tools["base64"] = base64Tool }

func base64Tool(t *T) int {
	var decode bool
	wrap := 76
	files, code, ok := t.flags("[-d] [-w COL] [FILE]", func(f *pflag.FlagSet) {
		f.BoolVarP(&decode, "decode", "d", false, "")
		f.IntVarP(&wrap, "wrap", "w", wrap, "")
	})
	if !ok {
		return code
	}
	t.each(files[:min(len(files), 1)], func(_ string, r io.Reader) error {
		if decode {
			_, err := copyTo(t.out, base64.NewDecoder(base64.StdEncoding, unspaced{r}))
			if _, corrupt := errors.AsType[base64.CorruptInputError](err); corrupt || errors.Is(err, io.ErrUnexpectedEOF) {
				t.fail("invalid input")
				return nil
			}
			return err
		}
		out := &wrapped{w: t.out, width: wrap}
		encoder := base64.NewEncoder(base64.StdEncoding, out)
		if _, err := io.Copy(encoder, onlyReader{r}); err != nil {
			return err
		}
		if err := encoder.Close(); err != nil {
			return err
		}
		return out.end()
	})
	return 0
}

// unspaced drops white space.
type unspaced struct{ r io.Reader }

// Read implements io.Reader.
func (u unspaced) Read(p []byte) (int, error) {
	for {
		n, err := u.r.Read(p)
		kept := 0
		for _, b := range p[:n] {
			if b != ' ' && (b < '\t' || b > '\r') {
				p[kept] = b
				kept++
			}
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// wrapped begins a new line after each width bytes; 0 is never.
type wrapped struct {
	w             io.Writer
	width, column int
}

// Write implements io.Writer.
func (w *wrapped) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n := len(p) - done
		if w.width > 0 {
			if w.column == w.width {
				if _, err := io.WriteString(w.w, "\n"); err != nil {
					return done, err
				}
				w.column = 0
			}
			n = min(n, w.width-w.column)
		}
		k, err := w.w.Write(p[done : done+n])
		done += k
		w.column += k
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// end ends the last line, if there is one.
func (w *wrapped) end() error {
	if w.width <= 0 || w.column == 0 {
		return nil
	}
	_, err := io.WriteString(w.w, "\n")
	return err
}
