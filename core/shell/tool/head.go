package tool

import (
	"errors"
	"io"

	"github.com/spf13/pflag"
)

func init() { tools["head"] = head }

func head(t *T) int {
	t.Args = obsolete(t.Args)
	var lines, bytes string
	var quiet, verbose bool
	files, code, ok := t.flags("[-n LINES] [-c BYTES] [-qv] [FILE]...", func(f *pflag.FlagSet) {
		f.StringVarP(&lines, "lines", "n", "10", "")
		f.StringVarP(&bytes, "bytes", "c", "", "")
		f.BoolVarP(&quiet, "quiet", "q", false, "")
		f.BoolVarP(&verbose, "verbose", "v", false, "")
	})
	if !ok {
		return code
	}
	what := lines
	if bytes != "" {
		what = bytes
	}
	n, err := count(what)
	if err != nil {
		t.fail("%v", err)
		return 1
	}
	shown := 0
	t.each(files, func(name string, r io.Reader) error {
		if len(files) > 1 && !quiet || verbose {
			if shown++; shown > 1 {
				t.print("\n")
			}
			t.printf("==> %s <==\n", name)
		}
		if bytes != "" {
			if n < 0 {
				return t.allBut(r, -n, true)
			}
			_, err := copyTo(t.out, io.LimitReader(r, n))
			return err
		}
		if n < 0 {
			return t.allBut(r, -n, false)
		}
		return t.firstLines(r, n)
	})
	return 0
}

func (t *T) firstLines(r io.Reader, n int64) error {
	reader := t.lineReader(r)
	for range n {
		line, err := reader.next('\n')
		t.print(line)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// allBut prints all but the last n lines, or bytes.
func (t *T) allBut(r io.Reader, n int64, inBytes bool) error {
	if inBytes {
		return t.allButBytes(r, n)
	}
	last := window{t: t, keep: int(n)}
	defer last.take()
	for reader := t.lineReader(r); ; {
		line, err := reader.next('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		oldest, out, err := last.add(line)
		if err != nil {
			return err
		}
		if out {
			t.print(oldest)
		}
	}
}

func (t *T) allButBytes(r io.Reader, n int64) error {
	if n > maxHeld {
		n = maxHeld + 1 // more than can be kept, which fails below
	}
	var kept []byte
	buf := make([]byte, 32<<10)
	drawn := 0
	defer func() { _ = t.hold(-drawn) }()
	for {
		k, err := r.Read(buf)
		if held := t.hold(len(kept) + k - drawn); held != nil {
			return held
		}
		drawn = len(kept) + k
		kept = append(kept, buf[:k]...)
		if more := len(kept) - int(n); more > 0 {
			_, _ = t.out.Write(kept[:more])
			kept = kept[more:]
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// obsolete turns -5 into -n5, as head and tail still take it.
func obsolete(args []string) []string {
	out := append([]string(nil), args...)
	for i, arg := range out {
		if i > 0 && args[i-1] != "-n" && args[i-1] != "-c" && len(arg) > 1 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9' {
			out[i] = "-n" + arg[1:]
		}
	}
	return out
}
