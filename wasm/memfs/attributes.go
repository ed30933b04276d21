package memfs

import (
	"syscall"
	"time"
)

// Stat describes the file at path; with follow, of a symbolic link what it leads to.
func (f *FS) Stat(path string, follow bool) (Stat, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup(path, follow)
	if err != nil {
		return Stat{}, err
	}
	return n.stat(), nil
}

// Fstat describes an open file.
func (f *FS) Fstat(fd int) (Stat, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return Stat{}, err
	}
	return o.node.stat(), nil
}

// change applies set to the node at path and notes the time.
func (f *FS) change(path string, follow bool, set func(n *node) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup(path, follow)
	if err != nil {
		return err
	}
	if err := set(n); err != nil {
		return err
	}
	n.ctime = f.now()
	return nil
}

// changeOpen applies set to the open file fd and notes the time.
func (f *FS) changeOpen(fd int, set func(o *openFile) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return err
	}
	if err := set(o); err != nil {
		return err
	}
	o.node.ctime = f.now()
	return nil
}

func (n *node) chmod(mode uint32) error {
	n.mode = n.mode&typeMask | mode&permission
	return nil
}

// chown sets the owners; -1 leaves one as it is.
func (n *node) chown(uid, gid int) error {
	if uid != -1 {
		n.uid = uint32(uid)
	}
	if gid != -1 {
		n.gid = uint32(gid)
	}
	return nil
}

func (n *node) truncate(size int64, now time.Time) error {
	switch {
	case n.isDir():
		return syscall.EISDIR
	case !n.isFile():
		return syscall.EINVAL
	}
	n.mtime = now
	var more int64
	if slots := int((size + pageSize - 1) / pageSize); size <= maxSize && slots > cap(n.data.pages) {
		more = int64(2*slots+4-cap(n.data.pages)) * slotSize
	}
	return n.resize(more, func() error { return n.data.truncate(size) })
}

// Chmod sets the permission bits.
func (f *FS) Chmod(path string, mode uint32) error {
	return f.change(path, true, func(n *node) error { return n.chmod(mode) })
}

// Fchmod sets the permission bits of an open file.
func (f *FS) Fchmod(fd int, mode uint32) error {
	return f.changeOpen(fd, func(o *openFile) error { return o.node.chmod(mode) })
}

// Chown sets the owners; with follow, of what a symbolic link leads to.
func (f *FS) Chown(path string, uid, gid int, follow bool) error {
	return f.change(path, follow, func(n *node) error { return n.chown(uid, gid) })
}

// Fchown sets the owners of an open file.
func (f *FS) Fchown(fd int, uid, gid int) error {
	return f.changeOpen(fd, func(o *openFile) error { return o.node.chown(uid, gid) })
}

// Truncate sets the size of a regular file.
func (f *FS) Truncate(path string, size int64) error {
	if size < 0 {
		return syscall.EINVAL
	}
	return f.change(path, true, func(n *node) error { return n.truncate(size, f.now()) })
}

// Ftruncate sets the size of an open regular file.
func (f *FS) Ftruncate(fd int, size int64) error {
	return f.changeOpen(fd, func(o *openFile) error {
		if !o.writable() || !o.node.isFile() {
			return syscall.EINVAL
		}
		return o.node.truncate(size, f.now())
	})
}

// SetTimes sets the access and modification times; a zero time leaves one as it is.
func (f *FS) SetTimes(path string, atime, mtime time.Time) error {
	return f.change(path, true, func(n *node) error {
		if !atime.IsZero() {
			n.atime = atime
		}
		if !mtime.IsZero() {
			n.mtime = mtime
		}
		return nil
	})
}

// Fsync does nothing: memory is all there is.
func (f *FS) Fsync(fd int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.opened(fd)
	return err
}
