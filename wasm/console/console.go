package console

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// What one place in the source may say: so many entries at once, later one in so much time. The
// replica set controller alone says some hundred times while a Deployment starts that its cache is
// behind (k8s.io/kubernetes/pkg/controller/replicaset, which then tries again).
const (
	burst = 10
	every = 10 * time.Second
)

// Writer passes on entries of klog's text format, each of which is one Write: none below warning, and
// of those that come from one place again and again a few. What was left out is counted in the next
// that is passed on.
type Writer struct {
	out io.Writer
	now func() time.Time

	mu     sync.Mutex
	places map[string]*place
}

type place struct {
	limit *rate.Limiter
	left  int // entries left out since the last that was passed on
}

// New returns a Writer to out.
func New(out io.Writer) *Writer {
	return &Writer{out: out, now: time.Now, places: map[string]*place{}}
}

// Write implements io.Writer.
func (w *Writer) Write(entry []byte) (int, error) {
	if len(entry) > 0 && entry[0] == 'I' {
		return len(entry), nil
	}
	name := placeOf(entry)
	if name == "" {
		return w.out.Write(entry) // the rest of an entry, or no entry of klog's
	}
	left, ok := w.admit(name)
	if !ok {
		return len(entry), nil
	}
	if left > 0 {
		more := fmt.Sprintf(" (%d like this were left out before)\n", left)
		if _, err := w.out.Write(append(bytes.TrimSuffix(bytes.Clone(entry), []byte("\n")), more...)); err != nil {
			return 0, err
		}
		return len(entry), nil
	}
	return w.out.Write(entry)
}

// admit says whether a place may say one thing more, and how many it was denied before.
func (w *Writer) admit(name string) (left int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.places[name]
	if p == nil {
		p = &place{limit: rate.NewLimiter(rate.Every(every), burst)}
		w.places[name] = p
	}
	if !p.limit.AllowN(w.now(), 1) {
		p.left++
		return 0, false
	}
	left, p.left = p.left, 0
	return left, true
}

// placeOf is "E" and "replica_set.go:640" of an entry that begins
// "E1122 04:00:21.760000       1 replica_set.go:640] "; empty if it does not begin so. A fatal entry
// has no place: it is never left out.
func placeOf(entry []byte) string {
	if len(entry) == 0 || entry[0] != 'E' && entry[0] != 'W' {
		return ""
	}
	header, _, ok := bytes.Cut(entry, []byte("] "))
	if !ok {
		return ""
	}
	fields := bytes.Fields(header)
	if len(fields) != 4 {
		return ""
	}
	return string(entry[0]) + " " + string(fields[3])
}
