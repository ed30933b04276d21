package tool

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

func init() { tools["tail"] = tail }

// tailPoll is how often -f looks for more, as busybox' does.
const tailPoll = time.Second

func tail(t *T) int {
	t.Args = obsolete(t.Args)
	var lines, byteCount, every string
	var follow, byName, quiet, verbose bool
	files, code, ok := t.flags("[-fF] [-n [+]LINES] [-c [+]BYTES] [-s SECONDS] [-qv] [FILE]...", func(f *pflag.FlagSet) {
		f.StringVarP(&lines, "lines", "n", "10", "")
		f.StringVarP(&byteCount, "bytes", "c", "", "")
		f.BoolVarP(&follow, "follow", "f", false, "")
		f.BoolVarP(&byName, "retry", "F", false, "")
		f.StringVarP(&every, "sleep-interval", "s", "1", "")
		f.BoolVarP(&quiet, "quiet", "q", false, "")
		f.BoolVarP(&verbose, "verbose", "v", false, "")
	})
	if !ok {
		return code
	}
	what := lines
	if byteCount != "" {
		what = byteCount
	}
	fromStart := strings.HasPrefix(what, "+")
	n, err := count(strings.TrimLeft(what, "+-"))
	if err != nil {
		t.fail("%v", err)
		return 1
	}
	poll := tailPoll
	if d, err := duration(every); err == nil {
		poll = max(d, 10*time.Millisecond)
	}
	shown := 0
	header := func(name string) {
		if len(files) > 1 && !quiet || verbose {
			if shown++; shown > 1 {
				t.print("\n")
			}
			t.printf("==> %s <==\n", name)
		}
	}
	offsets := map[string]int64{}
	t.each(files, func(name string, r io.Reader) error {
		header(name)
		read, err := t.lastPart(r, n, byteCount != "", fromStart)
		offsets[name] = read
		return err
	})
	if !follow && !byName {
		return 0
	}
	_ = t.out.Flush()
	for last := ""; t.pause(poll); {
		for _, name := range files {
			if name == "-" {
				continue
			}
			t.grown(name, offsets, func() {
				if last != name && len(files) > 1 {
					header(name)
				}
				last = name
			})
		}
		if t.out.Flush() != nil {
			return 1
		}
	}
	return 0
}

// lastPart prints the end of r and returns its size. It keeps no more than that end.
func (t *T) lastPart(r io.Reader, n int64, inBytes, fromStart bool) (int64, error) {
	counted := &counting{r: r}
	var err error
	switch {
	case fromStart:
		err = t.from(counted, n, inBytes)
	case inBytes:
		err = t.lastBytes(counted, n)
	default:
		err = t.lastLines(counted, n)
	}
	return counted.n, err
}

// from prints r from its n-th line or byte on.
func (t *T) from(r io.Reader, n int64, inBytes bool) error {
	if inBytes {
		if _, err := io.CopyN(io.Discard, r, max(n-1, 0)); err != nil {
			return ended(err)
		}
		_, err := copyTo(t.out, r)
		return err
	}
	lines := t.lineReader(r)
	for ; n > 1; n-- {
		if _, err := lines.next('\n'); err != nil {
			return ended(err)
		}
	}
	_, err := copyTo(t.out, lines.r)
	return err
}

// ended makes the end of the input no error.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (t *T) lastBytes(r io.Reader, n int64) error {
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
		if more := int64(len(kept)) - n; more > 0 {
			kept = kept[more:]
		}
		if err != nil {
			_, _ = t.out.Write(kept)
			return ended(err)
		}
	}
}

func (t *T) lastLines(r io.Reader, n int64) error {
	last := window{t: t, keep: int(n)}
	for lines := t.lineReader(r); ; {
		line, err := lines.next('\n')
		if err != nil {
			for _, line := range last.take() {
				t.print(line)
			}
			return ended(err)
		}
		if _, _, err := last.add(line); err != nil {
			last.take()
			return err
		}
	}
}

// counting counts what is read.
type counting struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// grown prints what was appended since, after header has been called; a file that shrank is read
// anew.
func (t *T) grown(name string, offsets map[string]int64, header func()) {
	f, err := t.Open(name)
	if err != nil {
		return // it may come back
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == offsets[name] {
		return
	}
	if info.Size() < offsets[name] {
		offsets[name] = 0
	}
	if _, err := f.Seek(offsets[name], io.SeekStart); err != nil {
		return
	}
	header()
	n, _ := copyTo(t.out, io.LimitReader(paced{t, f}, info.Size()-offsets[name]))
	offsets[name] += n
}
