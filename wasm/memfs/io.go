package memfs

import (
	"encoding/binary"
	"maps"
	"slices"
	"syscall"
	"time"
)

// Read reads from the descriptor's position; 0 bytes without an error is the end of the file.
func (f *FS) Read(fd int, b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return 0, err
	}
	if !o.readable() {
		return 0, syscall.EBADF
	}
	got, err := o.node.readAt(b, o.pos)
	o.pos += int64(got)
	return got, err
}

// Write writes at the descriptor's position, or at the end with O_APPEND.
func (f *FS) Write(fd int, b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return 0, err
	}
	if !o.writable() {
		return 0, syscall.EBADF
	}
	if o.flags&O_APPEND != 0 {
		o.pos = o.node.data.size
	}
	put, err := o.node.writeAt(b, o.pos, f.now())
	o.pos += int64(put)
	return put, err
}

// Pread reads at offset and leaves the position alone.
func (f *FS) Pread(fd int, b []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return 0, err
	}
	if offset < 0 {
		return 0, syscall.EINVAL
	}
	if !o.readable() {
		return 0, syscall.EBADF
	}
	return o.node.readAt(b, offset)
}

// Pwrite writes at offset (at the end with O_APPEND, as Linux does) and leaves the position.
func (f *FS) Pwrite(fd int, b []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return 0, err
	}
	if offset < 0 {
		return 0, syscall.EINVAL
	}
	if !o.writable() {
		return 0, syscall.EBADF
	}
	if o.flags&O_APPEND != 0 {
		offset = o.node.data.size
	}
	return o.node.writeAt(b, offset, f.now())
}

// Seek moves the position (whence: 0 from the start, 1 from here, 2 from the end) and returns
// it. On a directory only a return to the start has a meaning.
func (f *FS) Seek(fd int, offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return 0, err
	}
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

// ReadDirent fills b with records of an open directory, each 2 bytes of its own length (little
// endian, these two included) and the name. Names are sorted; those of the moment of the first
// call count. 0 is the end.
func (f *FS) ReadDirent(fd int, b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, err := f.opened(fd)
	if err != nil {
		return 0, err
	}
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

// readAt reads from a node. Caller holds the file system's mu.
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

// writeAt writes to a node. Caller holds the file system's mu.
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
