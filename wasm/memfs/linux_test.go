//go:build linux

package memfs

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// The oracle: the same calls on a real directory and on an FS must give the same results, the
// same errnos, and leave the same tree. Names are few, so that they collide; every path is
// relative to the working directory of the call's system, which for Linux is a prefix.

var (
	paths   = []string{"a", "b", "a/c", "a/d", "b/c", "a/c/e", "b/c/f", "a/", "b/c/", "a/..", "a/../b", "./a/./c", "a//d", "missing/x", "l", "l/c", "m", "a/n", "a/c/.."}
	targets = []string{"a", "b", "a/c", "../b", "missing", "l", "m", "a/n", "../l", "."}
)

// randomCalls chooses calls and arguments by random bytes.
type randomCalls struct{ b []byte }

func (r *randomCalls) next(n int) int {
	if len(r.b) == 0 {
		return 0
	}
	v := int(r.b[0]) % n
	r.b = r.b[1:]
	return v
}

func FuzzAgainstLinux(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { compare(t, b) })
}

func TestAgainstLinux(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := 300
	if testing.Short() {
		n = 50
	}
	for range n {
		b := make([]byte, 600)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		if compare(t, b); t.Failed() {
			t.Fatalf("bytes: %s", hex.EncodeToString(b))
		}
	}
}

func compare(t *testing.T, b []byte) {
	dir := t.TempDir() + "/up/here"
	must(t, os.MkdirAll(dir, 0o755))
	fs := New()
	// Two levels down, as no path here climbs higher than that.
	must(t, fs.Mkdir("/up", 0o755))
	must(t, fs.Mkdir("/up/here", 0o755))
	must(t, fs.Chdir("/up/here"))
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	calls := &randomCalls{b}
	var realFDs, memFDs []int
	defer func() {
		for _, fd := range realFDs {
			syscall.Close(fd)
		}
	}()
	for len(calls.b) > 0 {
		what, want, got := call(calls, dir, fs, &realFDs, &memFDs)
		if want != got {
			t.Fatalf("%s:\nLinux: %s\nmemfs: %s", what, want, got)
		}
	}
	if want, got := realTree(t, dir), memTree(t, fs); !maps.Equal(want, got) {
		t.Fatalf("trees differ:\nLinux: %v\nmemfs: %v", want, got)
	}
}

var linuxFlags = map[int]int{O_CREAT: syscall.O_CREAT, O_EXCL: syscall.O_EXCL, O_TRUNC: syscall.O_TRUNC, O_APPEND: syscall.O_APPEND, O_DIRECTORY: syscall.O_DIRECTORY}

// call makes one call on both and says what it was and what came of it.
func call(r *randomCalls, dir string, fs *FS, realFDs, memFDs *[]int) (what, want, got string) {
	p, q := paths[r.next(len(paths))], paths[r.next(len(paths))]
	rp, rq := dir+"/"+p, dir+"/"+q
	result := func(err error, values ...any) string {
		if err != nil {
			var errno syscall.Errno
			if !errors.As(err, &errno) {
				return err.Error()
			}
			return fmt.Sprintf("errno %d (%v)", int(errno), errno)
		}
		return fmt.Sprint(values...)
	}
	describe := func(mode, nlink uint32, size int64) string {
		if mode&typeMask == typeDir {
			return fmt.Sprintf("%o", mode) // size and links of a directory are the file system's own
		}
		return fmt.Sprintf("%o %d %d", mode, nlink, size)
	}
	pick := func() (int, int, bool) {
		if len(*realFDs) == 0 {
			return -1, -1, false
		}
		i := r.next(len(*realFDs))
		return (*realFDs)[i], (*memFDs)[i], true
	}
	switch r.next(20) {
	case 0, 1:
		return "mkdir " + p, result(syscall.Mkdir(rp, 0o755)), result(fs.Mkdir(p, 0o755))
	case 2, 3, 4:
		flags := r.next(3)
		real := flags
		for i, flag := range []int{O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY} {
			if r.next(256)>>i&1 == 1 && (flag != O_DIRECTORY || flags&O_CREAT == 0) {
				flags |= flag
				real |= linuxFlags[flag]
			}
		}
		if flags&O_TRUNC != 0 && flags&accessMode == O_RDONLY { // undefined
			flags &^= O_TRUNC
			real &^= syscall.O_TRUNC
		}
		rfd, rerr := syscall.Open(rp, real|syscall.O_CLOEXEC, 0o640)
		mfd, merr := fs.Open(p, flags, 0o640)
		if rerr == nil && merr == nil {
			*realFDs = append(*realFDs, rfd)
			*memFDs = append(*memFDs, mfd)
		}
		return fmt.Sprintf("open %s %o", p, flags), result(rerr), result(merr)
	case 5:
		return "unlink " + p, result(syscall.Unlink(rp)), result(fs.Unlink(p))
	case 6:
		return "rmdir " + p, result(syscall.Rmdir(rp)), result(fs.Rmdir(p))
	case 7, 8:
		return "rename " + p + " " + q, result(syscall.Rename(rp, rq)), result(fs.Rename(p, q))
	case 9:
		return "link " + p + " " + q, result(syscall.Link(rp, rq)), result(fs.Link(p, q))
	case 10:
		target := targets[r.next(len(targets))]
		return "symlink " + target + " " + p, result(syscall.Symlink(target, rp)), result(fs.Symlink(target, p))
	case 11:
		b := make([]byte, 100)
		n, rerr := syscall.Readlink(rp, b)
		s, merr := fs.Readlink(p)
		return "readlink " + p, result(rerr, string(b[:max(n, 0)])), result(merr, s)
	case 12:
		var st syscall.Stat_t
		rerr := syscall.Stat(rp, &st)
		mst, merr := fs.Stat(p, true)
		return "stat " + p, result(rerr, describe(st.Mode, uint32(st.Nlink), st.Size)), result(merr, describe(mst.Mode, mst.Nlink, mst.Size))
	case 13:
		var st syscall.Stat_t
		rerr := syscall.Lstat(rp, &st)
		mst, merr := fs.Stat(p, false)
		return "lstat " + p, result(rerr, describe(st.Mode, uint32(st.Nlink), st.Size)), result(merr, describe(mst.Mode, mst.Nlink, mst.Size))
	case 14:
		size := int64(r.next(256)) * 1000
		return fmt.Sprint("truncate ", p, size), result(syscall.Truncate(rp, size)), result(fs.Truncate(p, size))
	case 15:
		mode := []uint32{0o700, 0o755, 0o777}[r.next(3)]
		return "chmod " + p, result(syscall.Chmod(rp, mode)), result(fs.Chmod(p, mode))
	case 16:
		rfd, mfd, ok := pick()
		if !ok {
			return
		}
		b := make([]byte, r.next(256)*37)
		for i := range b {
			b[i] = byte(i)
		}
		rn, rerr := syscall.Write(rfd, b)
		mn, merr := fs.Write(mfd, b)
		return "write", result(rerr, rn), result(merr, mn)
	case 17:
		rfd, mfd, ok := pick()
		if !ok {
			return
		}
		rb, mb := make([]byte, r.next(256)*311), []byte(nil)
		mb = make([]byte, len(rb))
		rn, rerr := syscall.Read(rfd, rb)
		mn, merr := fs.Read(mfd, mb)
		return "read", result(rerr, rn, sum(rb)), result(merr, mn, sum(mb))
	case 18:
		rfd, mfd, ok := pick()
		if !ok {
			return
		}
		var st syscall.Stat_t
		if syscall.Fstat(rfd, &st); st.Mode&typeMask == typeDir {
			return
		}
		offset, whence := int64(r.next(256)-100)*700, r.next(4)
		if whence == 3 { // SEEK_DATA, which is not offered
			whence = 2
		}
		rn, rerr := syscall.Seek(rfd, offset, whence)
		mn, merr := fs.Seek(mfd, offset, whence)
		return fmt.Sprint("seek ", offset, whence), result(rerr, rn), result(merr, mn)
	default:
		rfd, mfd, ok := pick()
		if !ok {
			return
		}
		size := int64(r.next(256)) * 900
		return fmt.Sprint("ftruncate ", size), result(syscall.Ftruncate(rfd, size)), result(fs.Ftruncate(mfd, size))
	}
}

// sum tells two contents apart in a message.
func sum(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func realTree(t *testing.T, dir string) map[string]string {
	tree := map[string]string{}
	must(t, filepath.Walk(dir, func(path string, fi os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch st := fi.Sys().(*syscall.Stat_t); {
		case fi.IsDir():
			if name != "." {
				tree[name] = fmt.Sprintf("%o", st.Mode)
			}
		case fi.Mode()&os.ModeSymlink != 0:
			tree[name], err = os.Readlink(path)
		default:
			b, err := os.ReadFile(path)
			must(t, err)
			tree[name] = fmt.Sprintf("%o %d %d %d", st.Mode, st.Nlink, len(b), sum(b))
		}
		return err
	}))
	return tree
}

func memTree(t *testing.T, f *FS) map[string]string {
	tree := map[string]string{}
	var walk func(n *node, path string)
	walk = func(n *node, path string) {
		for _, name := range slices.Sorted(maps.Keys(n.entries)) {
			c, path := n.entries[name], path+name
			switch {
			case c.isDir():
				tree[path] = fmt.Sprintf("%o", c.mode)
				if c.parent != n || c.name != name {
					t.Errorf("%s: parent or name is wrong", path)
				}
				walk(c, path+"/")
			case c.isLink():
				tree[path] = c.target
			default:
				b := make([]byte, c.data.size)
				c.data.readAt(b, 0)
				tree[path] = fmt.Sprintf("%o %d %d %d", c.mode, c.nlink, len(b), sum(b))
			}
		}
	}
	walk(f.cwd, "")
	return tree
}
