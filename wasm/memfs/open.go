package memfs

import (
	"slices"
	"strings"
	"syscall"
)

// Flags of Open, with the values that package syscall has on js.
const (
	O_RDONLY    = 0
	O_WRONLY    = 1
	O_RDWR      = 2
	O_CREAT     = 0o100
	O_EXCL      = 0o200
	O_TRUNC     = 0o1000
	O_APPEND    = 0o2000
	O_SYNC      = 0o10000
	O_DIRECTORY = 0o20000

	accessMode = 3
)

// maxOpen bounds the table of descriptors.
const maxOpen = 1 << 16

// openFile is what open(2) makes: duplicated descriptors share it, and its position.
type openFile struct {
	node  *node
	flags int
	pos   int64
	refs  int
	names []string // of a directory: what ReadDirent has yet to return
	began bool     // names is filled
}

func (o *openFile) readable() bool { return o.flags&accessMode != O_WRONLY }
func (o *openFile) writable() bool { return o.flags&accessMode != O_RDONLY }

// Open opens the file at path and returns the lowest free descriptor.
func (f *FS) Open(path string, flags int, perm uint32) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.openNode(path, flags, perm)
	if err != nil {
		return -1, err
	}
	return f.newDescriptor(&openFile{node: n, flags: flags})
}

// openNode finds or makes the node that Open opens. Caller holds mu.
func (f *FS) openNode(path string, flags int, perm uint32) (*node, error) {
	exclusive := flags&(O_CREAT|O_EXCL) == O_CREAT|O_EXCL
	follow := always
	if exclusive || flags&O_CREAT != 0 && strings.HasSuffix(path, "/") {
		follow = never
	}
	p, err := f.walk(path, follow)
	if err != nil {
		return nil, err
	}
	switch {
	case p.slash && flags&O_CREAT != 0:
		return nil, syscall.EISDIR
	case p.node == nil && flags&O_CREAT == 0:
		return nil, syscall.ENOENT
	case p.slash && !p.node.isDir():
		return nil, syscall.ENOTDIR
	case p.node == nil:
		if p.dir.parent == nil {
			return nil, syscall.ENOENT
		}
		if err := f.room(p); err != nil {
			return nil, err
		}
		n := f.newNode(typeFile | perm&permission&^f.umask)
		p.dir.add(p.name, n, n.ctime)
		return n, nil
	case exclusive:
		return nil, syscall.EEXIST
	case p.node.isLink(): // only a link that loops is left unfollowed
		return nil, syscall.ELOOP
	case p.node.isDir():
		if flags&O_CREAT != 0 || flags&accessMode != O_RDONLY || flags&O_TRUNC != 0 {
			return nil, syscall.EISDIR
		}
		return p.node, nil
	case flags&O_DIRECTORY != 0:
		return nil, syscall.ENOTDIR
	case flags&O_TRUNC != 0 && p.node.isFile():
		if err := p.node.resize(0, func() error { return p.node.data.truncate(0) }); err != nil {
			return nil, err
		}
		p.node.mtime = f.now()
		p.node.ctime = p.node.mtime
	}
	return p.node, nil
}

// newDescriptor gives o the lowest free number. Caller holds mu.
func (f *FS) newDescriptor(o *openFile) (int, error) {
	fd := slices.Index(f.fds, nil)
	if fd < 0 {
		if fd = len(f.fds); fd >= maxOpen {
			return -1, syscall.EMFILE
		}
		f.fds = append(f.fds, nil)
	}
	if o.refs++; o.refs == 1 {
		o.node.opens++
	}
	f.fds[fd] = o
	return fd, nil
}

// opened is the open file that fd is a number of. Caller holds mu.
func (f *FS) opened(fd int) (*openFile, error) {
	if fd < 0 || fd >= len(f.fds) || f.fds[fd] == nil {
		return nil, syscall.EBADF
	}
	return f.fds[fd], nil
}

// Close frees fd; with the last descriptor of an open file go its locks.
func (f *FS) Close(fd int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.close(fd)
}

// close is Close. Caller holds mu.
func (f *FS) close(fd int) error {
	o, err := f.opened(fd)
	if err != nil {
		return err
	}
	f.fds[fd] = nil
	if o.refs--; o.refs > 0 {
		return nil
	}
	o.node.lock.release(o)
	o.node.opens--
	o.node.gone()
	return nil
}

// Dup returns a second descriptor of the same open file.
func (f *FS) Dup(fd int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return -1, err
	}
	return f.newDescriptor(o)
}

// Dup2 makes the number to a descriptor of fd's open file, closing what it was before.
func (f *FS) Dup2(fd, to int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return err
	}
	if to < 0 || to >= maxOpen {
		return syscall.EBADF
	}
	if fd == to {
		return nil
	}
	if to < len(f.fds) && f.fds[to] != nil {
		if err := f.close(to); err != nil {
			return err
		}
	}
	for to >= len(f.fds) {
		f.fds = append(f.fds, nil)
	}
	o.refs++
	f.fds[to] = o
	return nil
}
