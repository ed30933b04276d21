package tool

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxHeld is how much of its input one run of a tool keeps in memory at most, in bytes. A tool
// shares the memory of the whole cluster: `yes | sort` must end itself and nothing else.
const maxHeld = 32 << 20

// sourceMemory is what a byte of a script of sed's or awk's takes when it is parsed.
const sourceMemory = 64

// maxNest is how deep an expression may be nested that a tool parses by calling itself, as in core/shell/interp.
const maxNest = 10_000

var errNested = errors.New("nested too deeply")

var errHeld = fmt.Errorf("out of memory (a tool keeps %d MiB of its input at most)", maxHeld>>20)

// holding counts what a tool keeps, in bytes. less reads in one goroutine and compiles what is looked for in another.
type holding struct {
	mu    sync.Mutex
	bytes int
}

// hold counts n more bytes that the tool keeps, or fewer if n is negative, and draws them from its
// container, which many tools together may exhaust. With an error the tool must end.
func (t *T) hold(n int) error {
	t.held.mu.Lock()
	defer t.held.mu.Unlock()
	t.held.bytes += n
	if t.held.bytes > maxHeld {
		return errHeld
	}
	return t.drawn.Set(int64(t.held.bytes))
}

// holds is how many bytes it keeps.
func (t *T) holds() int {
	t.held.mu.Lock()
	defer t.held.mu.Unlock()
	return t.held.bytes
}

// lineReader reads lines, or what ends in another byte. It holds one at a time.
type lineReader struct {
	t *T
	r *bufio.Reader
}

func (t *T) lineReader(r io.Reader) *lineReader {
	return &lineReader{t, bufio.NewReaderSize(r, 32<<10)}
}

// next gives a line with its end, which a last one may lack; io.EOF comes with no line.
func (l *lineReader) next(end byte) (string, error) {
	var long []byte
	taken := 0
	defer func() { _ = l.t.hold(-taken) }() // who keeps the line holds it
	for {
		part, err := l.r.ReadSlice(end)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long)+len(part) > maxHeld {
				return "", errHeld
			}
			if err := l.t.hold(len(part)); err != nil {
				return "", err
			}
			taken += len(part)
			long = append(long, part...)
			if err := l.t.ctx.Err(); err != nil {
				return "", err
			}
			continue
		case errors.Is(err, io.EOF) && len(long)+len(part) > 0:
			err = nil
		}
		if long != nil {
			part = append(long, part...)
		}
		return string(part), err
	}
}

// readAll is io.ReadAll of what fits into the tool's memory.
func (t *T) readAll(r io.Reader) ([]byte, error) {
	data, err := t.drawn.ReadAll(io.LimitReader(r, int64(max(maxHeld-t.holds(), 0))+1))
	if err == nil {
		err = t.hold(len(data))
	}
	return data, err
}

// readFile reads a script or a list that the tool was given as a file.
func (t *T) readFile(name string) ([]byte, error) {
	f, err := t.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return t.readAll(f)
}

// boundedFile is a file that is not read further than a tool may hold.
type boundedFile struct {
	fs.File
	t *T
}

// Read implements fs.File.
func (f boundedFile) Read(p []byte) (int, error) {
	if err := f.t.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.File.Read(p)
	if held := f.t.hold(n); held != nil {
		return n, held
	}
	return n, err
}

// copyTo is io.Copy that neither side takes over: a paced reader flushes the tool's output, which
// must not be reading into its own buffer meanwhile.
func copyTo(w io.Writer, r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, onlyReader{r})
}

// replaceAll is strings.ReplaceAll in each of words, which held draws for beforehand: what is put in place of old may
// be long, and stand there any number of times.
func replaceAll(held *program.Memory, words []string, old, with string) ([]string, error) {
	size := 0
	for _, word := range words {
		size += len(word) + strings.Count(word, old)*len(with) + program.StringMemory
	}
	if err := held.Grow(size); err != nil {
		return nil, err
	}
	made := make([]string, len(words))
	for i, word := range words {
		made[i] = strings.ReplaceAll(word, old, with)
	}
	return made, nil
}
