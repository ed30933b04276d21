package memfs

import "syscall"

// What is held beside the bytes of files, in bytes: rounded up from what Go takes for it.
const (
	inodeSize = 512
	entrySize = 128 // and the name
	slotSize  = 24  // of a page
)

// space counts the memory that a file system holds. The file system's mu guards it.
type space struct {
	held     int64
	capacity int64 // 0 is no end
}

// take draws n bytes if there is room for them.
func (s *space) take(n int64) error {
	if n > 0 && s.capacity > 0 && s.held+n > s.capacity {
		return syscall.ENOSPC
	}
	s.held += n
	return nil
}

// SetCapacity bounds the memory that files, directories and their names may take together, in
// bytes: beyond it everything that grows fails with ENOSPC. Linear memory that is full, on the
// other hand, ends the program.
func (f *FS) SetCapacity(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.space.capacity = bytes
}

// Held is the memory that is taken, in bytes.
func (f *FS) Held() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.space.held
}

// held is the memory that the content takes.
func (c *content) held() int64 { return c.used() + int64(cap(c.pages))*slotSize }

// growth is at most by how much held grows when n bytes are written at offset.
func (c *content) growth(offset int64, n int) (more int64) {
	if n == 0 || offset+int64(n) > maxSize {
		return 0
	}
	end := offset + int64(n)
	if slots := int((end + pageSize - 1) / pageSize); slots > cap(c.pages) {
		more += int64(2*slots+4-cap(c.pages)) * slotSize
	}
	for at := offset; at < end; {
		page, from := int(at/pageSize), int(at%pageSize)
		to := int(min(pageSize, int64(from)+end-at))
		var have int
		if page < len(c.pages) {
			have = cap(c.pages[page])
		}
		if to > have {
			more += int64(min(pageSize, max(to, 2*have)) - have)
		}
		at += int64(to - from)
	}
	return more
}

// resize calls change, which makes the node's content grow by at most more, and counts what it did.
func (n *node) resize(more int64, change func() error) error {
	if err := n.space.take(more); err != nil {
		return err
	}
	before := n.data.held()
	err := change()
	n.space.held += n.data.held() - before - more
	return err
}

// gone gives back what a node took that has no name and no user any more.
func (n *node) gone() {
	if n.nlink == 0 && n.opens <= 0 && !n.freed {
		n.freed = true
		n.space.held -= n.data.held() + int64(len(n.target)) + inodeSize
	}
}
