package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// tree is what a mount shows: a directory of the operating system, or one file. It stays what
// was mounted, whatever its name leads to later, and no call leads out of it, whatever is moved
// or linked meanwhile: a pod may change its volumes while another process resolves a path.
// Paths are relative to it, without links as far as walk could see, "." for the tree itself;
// errors are the operating system's.
type tree interface {
	// check fails if the tree is not what was mounted any more.
	check() error
	// peek is stat for those on the way: what is there may be outside, if it is being exchanged.
	peek(rel string) (fs.FileInfo, error)
	// stat follows no link but that of a mount's own path.
	stat(rel string) (fs.FileInfo, error)
	readlink(rel string) (string, error)
	open(rel string, flag int, perm fs.FileMode) (*os.File, error)
	mkdir(rel string, perm fs.FileMode) error
	remove(rel string) error
	removeAll(rel string) error
	rename(from, to string) error
	link(from, to string) error
	// symlink seals the target, and readlink opens it, unless the tree is plain.
	symlink(target, rel string) error
	chmod(rel string, mode fs.FileMode) error
	chtimes(rel string, atime, mtime time.Time) error
}

// newTree opens the tree at host, which must not lie outside of within; "" is anywhere. Links are made
// in it as seal has them.
func newTree(host, within string, seal func(target string) string) (tree, error) {
	if openat {
		return newRootTree(host, within, seal)
	}
	return newPathTree(host, within, seal)
}

// openat tells whether the operating system has openat(2).
var openat = runtime.GOOS != "js"

// rootTree is a tree below an open directory, by openat(2).
type rootTree struct {
	host string   // as it was mounted
	root *os.Root // closed when nobody holds it any more
	file string   // in root, if the tree is one file
	seal func(target string) string
}

func newRootTree(host, within string, seal func(string) string) (tree, error) {
	info, err := os.Stat(host)
	if err != nil {
		return nil, err
	}
	t := &rootTree{seal: seal}
	dir := host
	defer func() { t.host = dir }()
	if !info.IsDir() {
		if host, err = filepath.EvalSymlinks(host); err != nil {
			return nil, err
		}
		dir, t.file = filepath.Dir(host), filepath.Base(host)
	}
	if within == "" {
		t.root, err = os.OpenRoot(dir)
		return t, err
	}
	rel, err := filepath.Rel(within, dir)
	if err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(within)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	if t.root, err = top.OpenRoot(rel); err != nil {
		return nil, fmt.Errorf("mount %s: not below %s: %w", host, within, confined(err))
	}
	return t, nil
}

func (t *rootTree) at(rel string) string {
	if t.file != "" {
		return t.file
	}
	return rel
}

// confined gives an error of os.Root, which has none for a path that leads out, Linux' number.
func confined(err error) error {
	var no syscall.Errno
	if err == nil || errors.As(err, &no) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err
	}
	return syscall.EXDEV
}

// peek takes a path, so that a path of many elements is not opened once for each of them.
func (t *rootTree) peek(rel string) (fs.FileInfo, error) {
	if rel == "." {
		return t.stat(rel)
	}
	return os.Lstat(filepath.Join(t.host, t.at(rel)))
}

func (t *rootTree) check() error { return nil }

func (t *rootTree) stat(rel string) (fs.FileInfo, error) {
	info, err := t.root.Lstat(t.at(rel))
	return linkSize(t, rel, info, confined(err))
}

func (t *rootTree) readlink(rel string) (string, error) {
	target, err := t.root.Readlink(t.at(rel))
	return strings.TrimPrefix(target, sealed), confined(err)
}

func (t *rootTree) open(rel string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := t.root.OpenFile(t.at(rel), flag, perm.Perm())
	return f, confined(err)
}

func (t *rootTree) mkdir(rel string, perm fs.FileMode) error {
	return confined(t.root.Mkdir(t.at(rel), perm.Perm()))
}
func (t *rootTree) remove(rel string) error    { return confined(t.root.Remove(t.at(rel))) }
func (t *rootTree) removeAll(rel string) error { return confined(t.root.RemoveAll(t.at(rel))) }
func (t *rootTree) rename(from, to string) error {
	return confined(t.root.Rename(t.at(from), t.at(to)))
}
func (t *rootTree) link(from, to string) error { return confined(t.root.Link(t.at(from), t.at(to))) }
func (t *rootTree) symlink(target, rel string) error {
	return confined(t.root.Symlink(t.seal(target), t.at(rel)))
}
func (t *rootTree) chmod(rel string, mode fs.FileMode) error {
	return confined(t.root.Chmod(t.at(rel), mode))
}
func (t *rootTree) chtimes(rel string, atime, mtime time.Time) error {
	return confined(t.root.Chtimes(t.at(rel), atime, mtime))
}

// pathTree is a tree by its path, where there is no openat(2): in the tab. Programs change files
// through an FS only, and every call of an FS holds oneByOne, so that what walk has seen is
// still true when it is acted on.
type pathTree struct {
	host string
	info fs.FileInfo // of what was mounted
	seal func(target string) string
}

// oneByOne is held by calls on a pathTree.
var oneByOne sync.Mutex

func newPathTree(host, within string, seal func(string) string) (tree, error) {
	if within != "" {
		top, err := filepath.EvalSymlinks(within)
		if err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(host)
		if err != nil {
			return nil, err
		}
		if real != top && !strings.HasPrefix(real, strings.TrimSuffix(top, "/")+"/") {
			return nil, fmt.Errorf("mount %s: not below %s: %w", host, within, syscall.EXDEV)
		}
	}
	info, err := os.Stat(host)
	return &pathTree{host: host, info: info, seal: seal}, err
}

func (t *pathTree) check() error {
	info, err := os.Stat(t.host)
	if err == nil && !os.SameFile(info, t.info) {
		err = syscall.ESTALE
	}
	return err
}

func (t *pathTree) at(rel string) string { return filepath.Join(t.host, rel) }

func (t *pathTree) stat(rel string) (fs.FileInfo, error) {
	if rel == "." {
		return os.Stat(t.host)
	}
	info, err := os.Lstat(t.at(rel))
	return linkSize(t, rel, info, err)
}
func (t *pathTree) peek(rel string) (fs.FileInfo, error) { return t.stat(rel) }
func (t *pathTree) readlink(rel string) (string, error)  { return ReadLink(t.at(rel)) }
func (t *pathTree) open(rel string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(t.at(rel), flag, perm)
}
func (t *pathTree) mkdir(rel string, perm fs.FileMode) error { return os.Mkdir(t.at(rel), perm.Perm()) }
func (t *pathTree) remove(rel string) error                  { return os.Remove(t.at(rel)) }
func (t *pathTree) removeAll(rel string) error               { return os.RemoveAll(t.at(rel)) }
func (t *pathTree) rename(from, to string) error             { return os.Rename(t.at(from), t.at(to)) }
func (t *pathTree) link(from, to string) error               { return os.Link(t.at(from), t.at(to)) }
func (t *pathTree) symlink(target, rel string) error         { return os.Symlink(t.seal(target), t.at(rel)) }
func (t *pathTree) chmod(rel string, mode fs.FileMode) error { return os.Chmod(t.at(rel), mode) }
func (t *pathTree) chtimes(rel string, atime, mtime time.Time) error {
	return os.Chtimes(t.at(rel), atime, mtime)
}

// readDir lists a directory of a tree, sorted by name.
func readDir(t tree, rel string) ([]fs.DirEntry, error) {
	dir, err := t.open(rel, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
