package tool

// lineOverhead is what a kept line costs beside its bytes.
const lineOverhead = 16

// window keeps the last lines of what is read: those before a match, or those at the end.
type window struct {
	t     *T
	keep  int // lines
	lines []string
}

// add takes a line; when there are more than keep, the oldest one comes out.
func (w *window) add(line string) (oldest string, out bool, err error) {
	w.lines = append(w.lines, line)
	if err := w.t.hold(len(line) + lineOverhead); err != nil {
		return "", false, err
	}
	if len(w.lines) <= w.keep {
		return "", false, nil
	}
	oldest, w.lines[0] = w.lines[0], ""
	w.lines = w.lines[1:]
	_ = w.t.hold(-len(oldest) - lineOverhead)
	return oldest, true, nil
}

// take empties the window.
func (w *window) take() []string {
	lines := w.lines
	w.lines = nil
	for _, line := range lines {
		_ = w.t.hold(-len(line) - lineOverhead)
	}
	return lines
}
