package tool

import (
	"bytes"
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
			more := t.grown(name, offsets)
			if len(more) > 0 {
				if last != name && len(files) > 1 {
					header(name)
				}
				last = name
				t.print(string(more))
			}
		}
		if t.out.Flush() != nil {
			return 1
		}
	}
	return 0
}

// lastPart prints the end of r and returns its size.
func (t *T) lastPart(r io.Reader, n int64, inBytes, fromStart bool) (int64, error) {
	data, err := io.ReadAll(r)
	size := int64(len(data))
	switch {
	case inBytes && fromStart:
		data = data[min(max(n-1, 0), size):]
	case inBytes:
		data = data[max(size-n, 0):]
	case fromStart:
		for ; n > 1 && len(data) > 0; n-- {
			i := bytes.IndexByte(data, '\n')
			if i < 0 {
				i = len(data) - 1
			}
			data = data[i+1:]
		}
	case n == 0:
		data = nil
	default:
		at := len(bytes.TrimSuffix(data, []byte("\n")))
		for ; n > 0 && at >= 0; n-- {
			at = bytes.LastIndexByte(data[:at], '\n')
		}
		data = data[at+1:]
	}
	t.print(string(data))
	return size, err
}

// grown reads what was appended since; a file that shrank is read anew.
func (t *T) grown(name string, offsets map[string]int64) []byte {
	f, err := t.Open(name)
	if err != nil {
		return nil // it may come back
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == offsets[name] {
		return nil
	}
	if info.Size() < offsets[name] {
		offsets[name] = 0
	}
	if _, err := f.Seek(offsets[name], io.SeekStart); err != nil {
		return nil
	}
	more, _ := io.ReadAll(f)
	offsets[name] += int64(len(more))
	return more
}
