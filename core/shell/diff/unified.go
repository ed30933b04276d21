package diff

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// contextLines is how many equal lines stand around each difference, as diff -u has it.
const contextLines = 3

// Limits are whose memory and time is used.
type Limits struct {
	// Context ends a comparison; it should yield.
	Context context.Context
	// Hold draws bytes before they are used, and is given less than nothing when two files have been compared. An error
	// ends the comparison. nil if nobody asks.
	Hold func(bytes int) error
}

// holding counts what two files take.
func (l *Limits) holding() (end func()) {
	hold, held := l.Hold, 0
	l.Hold = func(n int) error {
		if hold == nil {
			return nil
		}
		err := hold(n)
		if err == nil {
			held += n
		}
		return err
	}
	return func() { _ = l.Hold(-held) }
}

// text is a file in lines.
type text struct {
	data  []byte
	ends  []int32 // of the lines
	names []int32 // equal lines have the same
}

// nameMemory is what a line takes that is not like another, beside its bytes.
const nameMemory = 64

// line is one, with its end.
func (t *text) line(i int) []byte {
	begin := int32(0)
	if i > 0 {
		begin = t.ends[i-1]
	}
	return t.data[begin:t.ends[i]]
}

// newText finds lines, which names has numbers for.
func newText(l Limits, data []byte, names map[string]int32) (*text, error) {
	count := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		count++
	}
	if err := l.Hold(count * (4 + editsMemory)); err != nil {
		return nil, err
	}
	t := &text{data: data, ends: make([]int32, 0, count), names: make([]int32, 0, count)}
	for begin, asked := 0, 0; begin < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[begin:], '\n'); i >= 0 {
			end = begin + i + 1
		}
		name, ok := names[string(data[begin:end])]
		if !ok {
			if err := l.Hold(end - begin + nameMemory); err != nil {
				return nil, err
			}
			name = int32(len(names))
			names[string(data[begin:end])] = name
		}
		t.ends, t.names = append(t.ends, int32(end)), append(t.names, name)
		if asked += 64 + end - begin; asked > every {
			if asked = 0; l.Context.Err() != nil {
				return nil, l.Context.Err()
			}
		}
		begin = end
	}
	return t, nil
}

// Unified writes how b differs from a, in unified format; nothing if they are equal.
func Unified(l Limits, w io.Writer, nameA, nameB string, a, b []byte) error {
	defer l.holding()()
	names := map[string]int32{}
	from, err := newText(l, a, names)
	if err != nil {
		return err
	}
	to, err := newText(l, b, names)
	if err != nil {
		return err
	}
	e := newEdits(l.Context, from.names, to.names)
	if err := e.compare(0, len(e.a), 0, len(e.b)); err != nil {
		return err
	}
	out := &hunks{w: w, from: from, to: to, e: e}
	for x, y := 0, 0; out.err == nil; {
		for x < len(e.a) && y < len(e.b) && !e.deleted[x] && !e.added[y] {
			x, y = x+1, y+1
		}
		if x == len(e.a) && y == len(e.b) {
			return nil
		}
		if !out.headed {
			out.headed = true
			out.printf("--- %s\n+++ %s\n", nameA, nameB)
		}
		x, y = out.hunk(x, y)
		if err := l.Context.Err(); err != nil {
			return err
		}
	}
	return out.err
}

// hunks writes what differs.
type hunks struct {
	w        io.Writer
	from, to *text
	e        *edits
	headed   bool // the names of the two files are written
	err      error
}

func (h *hunks) printf(format string, args ...any) {
	if h.err == nil {
		_, h.err = fmt.Fprintf(h.w, format, args...)
	}
}

// hunk writes the differences from a place on, up to where more lines are equal than stand around two of them. It
// returns where it ends.
func (h *hunks) hunk(x, y int) (int, int) {
	beginX, beginY := max(x-contextLines, 0), max(y-contextLines, 0)
	endX, endY := x, y // behind the last difference
	for {
		for endX < len(h.e.a) && h.e.deleted[endX] {
			endX++
		}
		for endY < len(h.e.b) && h.e.added[endY] {
			endY++
		}
		equal := 0
		for equal <= 2*contextLines && endX+equal < len(h.e.a) && endY+equal < len(h.e.b) && !h.e.deleted[endX+equal] && !h.e.added[endY+equal] {
			equal++
		}
		last := endX+equal == len(h.e.a) && endY+equal == len(h.e.b)
		if equal > 2*contextLines || last {
			after := min(equal, contextLines)
			h.write(beginX, endX+after, beginY, endY+after)
			return endX + equal, endY + equal
		}
		endX, endY = endX+equal, endY+equal
	}
}

func (h *hunks) write(x0, x1, y0, y1 int) {
	h.printf("@@ -%s +%s @@\n", span(x0, x1), span(y0, y1))
	for x, y := x0, y0; (x < x1 || y < y1) && h.err == nil; {
		switch {
		case x < x1 && h.e.deleted[x]:
			h.line('-', h.from.line(x))
			x++
		case y < y1 && h.e.added[y]:
			h.line('+', h.to.line(y))
			y++
		default:
			h.line(' ', h.from.line(x))
			x, y = x+1, y+1
		}
	}
}

func (h *hunks) line(mark byte, line []byte) {
	h.printf("%c", mark)
	if h.err == nil {
		_, h.err = h.w.Write(line)
	}
	if len(line) > 0 && line[len(line)-1] != '\n' {
		h.printf("\n\\ No newline at end of file\n")
	}
}

// span is how a hunk says which lines it is of.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
