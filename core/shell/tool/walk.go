package tool

import (
	"io/fs"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

// walked is one file that walk comes to.
type walked struct {
	info  fs.FileInfo // of the file itself, be it a link
	depth int
}

// walk calls f with name and all below it; where f returns false it does not go deeper.
func (t *T) walk(name string, f func(file string, e walked) bool) { t.walkDepth(name, 0, f) }

func (t *T) walkDepth(name string, depth int, f func(string, walked) bool) {
	if t.ctx.Err() != nil {
		return
	}
	info, err := t.FS.Lstat(t.Path(name))
	if t.failed(name, err) || !f(name, walked{info, depth}) || !info.IsDir() {
		return
	}
	entries, err := t.FS.ReadDir(t.Path(name))
	if t.failed(name, err) {
		return
	}
	for _, entry := range entries {
		next := name + "/" + entry.Name()
		if name[len(name)-1] == '/' {
			next = name + entry.Name()
		}
		t.walkDepth(next, depth+1, f)
	}
}
