package memfs

import (
	"sync"
	"syscall"
	"time"
)

// FS is one file system with one table of descriptors, one working directory and one umask:
// what a process sees. All methods may be called at the same time.
type FS struct {
	mu      sync.Mutex
	now     func() time.Time
	root    *node
	cwd     *node
	umask   uint32
	lastIno uint64
	fds     []*openFile // by number; nil is free
	space   space
}

// New returns a file system that holds an empty root directory. Descriptors begin at 3.
func New() *FS {
	f := &FS{now: time.Now, umask: 0o022, fds: make([]*openFile, 3)}
	f.root = f.newNode(typeDir | 0o755)
	f.root.parent, f.root.name = f.root, ""
	f.cwd = f.root
	for fd := range f.fds {
		f.fds[fd] = &openFile{node: f.newNode(typeChar | 0o620), refs: 1, flags: O_RDWR}
	}
	return f
}

// newNode makes a node that no directory holds yet. Caller holds mu.
func (f *FS) newNode(mode uint32) *node {
	f.lastIno++
	now := f.now()
	f.space.held += inodeSize
	n := &node{space: &f.space, ino: f.lastIno, mode: mode, atime: now, mtime: now, ctime: now}
	if n.isDir() {
		n.entries = map[string]*node{}
		n.nlink = 2
	}
	return n
}

// Umask sets the bits that new files and directories do not get, and returns the old ones.
func (f *FS) Umask(mask int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.umask
	f.umask = uint32(mask) & 0o777
	return int(old)
}

// Getcwd is the working directory; ENOENT if it has been removed.
func (f *FS) Getcwd() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cwd.path()
}

// Chdir changes the working directory.
func (f *FS) Chdir(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup(path, true)
	if err != nil {
		return err
	}
	if !n.isDir() {
		return syscall.ENOTDIR
	}
	f.cwd = n
	return nil
}

// Fchdir makes an open directory the working directory.
func (f *FS) Fchdir(fd int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return err
	}
	if !o.node.isDir() {
		return syscall.ENOTDIR
	}
	f.cwd = o.node
	return nil
}
