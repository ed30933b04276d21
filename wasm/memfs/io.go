package memfs

import (
	"encoding/binary"
	"maps"
	"slices"
	"syscall"
	"time"
)

// Read reads from the descriptor's position; 0 bytes without an error is the end of the file.
// On a pipe it waits for data, for the last writer to close, for StopIO or the deadline.
func (f *FS) Read(fd int, b []byte) (int, error) {
	f.mu.Lock()
	d, err := f.descriptor(fd)
	if err == nil && !d.open.readable() {
		err = syscall.EBADF
	}
	if err != nil {
		f.mu.Unlock()
		return 0, err
	}
	n := d.open.node
	if n.pipe != nil {
		f.mu.Unlock()
		return n.pipe.read(d, b)
	}
	defer f.mu.Unlock()
	got, err := n.readAt(b, d.open.pos)
	d.open.pos += int64(got)
	return got, err
}

// Write writes at the descriptor's position, or at the end with O_APPEND. On a pipe it waits
// until everything is taken.
func (f *FS) Write(fd int, b []byte) (int, error) {
	f.mu.Lock()
	d, err := f.descriptor(fd)
	if err == nil && !d.open.writable() {
		err = syscall.EBADF
	}
	if err != nil {
		f.mu.Unlock()
		return 0, err
	}
	n := d.open.node
	if n.pipe != nil {
		f.mu.Unlock()
		return n.pipe.write(d, b)
	}
	defer f.mu.Unlock()
	if d.open.flags&O_APPEND != 0 {
		d.open.pos = n.data.size
	}
	put, err := n.writeAt(b, d.open.pos, f.now())
	d.open.pos += int64(put)
	return put, err
}

// Pread reads at offset and leaves the position alone.
func (f *FS) Pread(fd int, b []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := f.seekable(fd)
	if err != nil {
		return 0, err
	}
	if offset < 0 {
		return 0, syscall.EINVAL
	}
	if !d.open.readable() {
		return 0, syscall.EBADF
	}
	return d.open.node.readAt(b, offset)
}

// Pwrite writes at offset (at the end with O_APPEND, as Linux does) and leaves the position.
func (f *FS) Pwrite(fd int, b []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := f.seekable(fd)
	if err != nil {
		return 0, err
	}
	if offset < 0 {
		return 0, syscall.EINVAL
	}
	if !d.open.writable() {
		return 0, syscall.EBADF
	}
	if d.open.flags&O_APPEND != 0 {
		offset = d.open.node.data.size
	}
	return d.open.node.writeAt(b, offset, f.now())
}

// Seek moves the position (whence: 0 from the start, 1 from here, 2 from the end) and returns
// it. On a directory only a return to the start has a meaning.
func (f *FS) Seek(fd int, offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := f.seekable(fd)
	if err != nil {
		return 0, err
	}
	o := d.open
	switch whence {
	case 0:
	case 1:
		offset += o.pos
	case 2:
		offset += o.node.data.size
	default:
		return 0, syscall.EINVAL
	}
	if offset < 0 {
		return 0, syscall.EINVAL
	}
	o.pos = offset
	o.began = false
	return offset, nil
}

// seekable is the descriptor with number fd, if it has a position. Caller holds mu.
func (f *FS) seekable(fd int) (*descriptor, error) {
	d, err := f.descriptor(fd)
	if err != nil {
		return nil, err
	}
	if d.open.node.pipe != nil {
		return nil, syscall.ESPIPE
	}
	return d, nil
}

// ReadDirent fills b with records of an open directory, each 2 bytes of its own length (little
// endian, these two included) and the name. Names are sorted; those of the moment of the first
// call count. 0 is the end.
func (f *FS) ReadDirent(fd int, b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := f.descriptor(fd)
	if err != nil {
		return 0, err
	}
	o := d.open
	if !o.node.isDir() {
		return 0, syscall.ENOTDIR
	}
	if !o.began {
		o.names, o.began = slices.Sorted(maps.Keys(o.node.entries)), true
	}
	done := 0
	for len(o.names) > 0 {
		size := 2 + len(o.names[0])
		if done+size > len(b) {
			if done == 0 {
				return 0, syscall.EINVAL
			}
			break
		}
		binary.LittleEndian.PutUint16(b[done:], uint16(size))
		copy(b[done+2:], o.names[0])
		done += size
		o.names = o.names[1:]
	}
	return done, nil
}

// readAt reads from a node that is no pipe. Caller holds the file system's mu.
func (n *node) readAt(b []byte, offset int64) (int, error) {
	switch {
	case n.isDir():
		return 0, syscall.EISDIR
	case n.device != nil:
		return n.device.read(b)
	case n.isFile():
		return n.data.readAt(b, offset), nil
	}
	return 0, syscall.EINVAL
}

// writeAt writes to a node that is no pipe. Caller holds the file system's mu.
func (n *node) writeAt(b []byte, offset int64, now time.Time) (int, error) {
	switch {
	case n.device != nil:
		return n.device.write(b)
	case n.isFile():
		n.mtime, n.ctime = now, now
		var put int
		err := n.resize(n.data.growth(offset, len(b)), func() (err error) {
			put, err = n.data.writeAt(b, offset)
			return err
		})
		return put, err
	}
	return 0, syscall.EINVAL
}
