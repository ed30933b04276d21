package keptdisk

import (
	"io/fs"
	"math"
	"path"
	"strings"
)

// Bounds of what a record may say: whoever can write to the origin's storage can write there.
const (
	chunkSize  = 64 << 10
	maxPath    = 4096
	maxEntries = 1 << 17
	maxID      = math.MaxInt32 // of a user or a group, as Kubernetes bounds them
)

// tree is what a file of records says was there.
type tree struct {
	entries map[string]*treeEntry
	held    int64 // bytes of files
	most    int64 // that they may have
	whole   bool
}

type treeEntry struct {
	mode     fs.FileMode
	uid, gid int
	data     []byte // of a file; where a link leads
}

// modeBits are those that are kept of a mode, beside its type.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// apply makes the change. What cannot be, or is too much, is left out.
func (t *tree) apply(r record) {
	if r.kind == kindWhole {
		t.whole = true
		return
	}
	if len(r.path) > maxPath || !fs.ValidPath(r.path) || r.path == "." {
		return
	}
	was := t.entries[r.path]
	if was == nil && len(t.entries) >= maxEntries {
		return
	}
	switch r.kind {
	case kindDir:
		t.put(r.path, &treeEntry{mode: fs.ModeDir | r.mode&modeBits})
	case kindLink:
		t.put(r.path, &treeEntry{mode: fs.ModeSymlink, data: append([]byte(nil), r.data...)})
	case kindFile:
		if was == nil || !was.mode.IsRegular() {
			was = &treeEntry{}
			t.put(r.path, was)
		}
		was.mode = r.mode & modeBits
		t.resize(was, r.size)
	case kindChunk:
		if was == nil || !was.mode.IsRegular() || r.offset < 0 || r.offset+int64(len(r.data)) > int64(len(was.data)) {
			return
		}
		copy(was.data[r.offset:], r.data)
	case kindOwner:
		if was != nil && r.size <= maxID && r.offset <= maxID {
			was.uid, was.gid = int(r.size), int(r.offset)
		}
	case kindRemove:
		t.remove(r.path)
	}
}

func (t *tree) put(name string, e *treeEntry) {
	if was := t.entries[name]; was != nil && (!was.mode.IsDir() || !e.mode.IsDir()) {
		t.remove(name)
	}
	t.entries[name] = e
	if e.mode&fs.ModeSymlink != 0 {
		t.held += int64(len(e.data))
	}
}

func (t *tree) resize(e *treeEntry, size int64) {
	if size < 0 || t.held-int64(len(e.data))+size > t.most {
		size = 0 // it would never have been written
	}
	t.held += size - int64(len(e.data))
	if size <= int64(len(e.data)) {
		e.data = e.data[:size]
		return
	}
	e.data = append(e.data, make([]byte, size-int64(len(e.data)))...)
}

func (t *tree) remove(name string) {
	was := t.entries[name]
	if was == nil {
		return
	}
	t.held -= int64(len(was.data))
	delete(t.entries, name)
	if !was.mode.IsDir() {
		return
	}
	for other, e := range t.entries {
		if strings.HasPrefix(other, name+"/") {
			t.held -= int64(len(e.data))
			delete(t.entries, other)
		}
	}
}

// depth orders entries so that a directory comes before what is in it.
func depth(name string) int { return strings.Count(path.Clean(name), "/") }
