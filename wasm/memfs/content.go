package memfs

import "syscall"

const (
	pageSize = 64 << 10
	// maxSize is the largest file: holes take no memory but their page's slot.
	maxSize = 16 << 30
)

// content is the bytes of a regular file: pages that grow as they are written, nil for a hole.
// A page may be shorter than pageSize; what is missing reads as zero.
type content struct {
	size  int64
	pages [][]byte
}

// used is the memory that the pages take, in bytes.
func (c *content) used() (n int64) {
	for _, p := range c.pages {
		n += int64(cap(p))
	}
	return n
}

// readAt copies into b from offset; 0 at or after the end.
func (c *content) readAt(b []byte, offset int64) int {
	if offset >= c.size {
		return 0
	}
	b = b[:min(int64(len(b)), c.size-offset)]
	for done := 0; done < len(b); {
		page, at := int((offset+int64(done))/pageSize), int((offset+int64(done))%pageSize)
		part := b[done:min(len(b), done+pageSize-at)]
		n := 0
		if p := c.pages[page]; at < len(p) {
			n = copy(part, p[at:])
		}
		clear(part[n:])
		done += len(part)
	}
	return len(b)
}

// writeAt copies b to offset, which may lie behind the end.
func (c *content) writeAt(b []byte, offset int64) (int, error) {
	end := offset + int64(len(b))
	if end > maxSize {
		return 0, syscall.EFBIG
	}
	if len(b) == 0 {
		return 0, nil
	}
	c.reach(end)
	for done := 0; done < len(b); {
		page, at := int((offset+int64(done))/pageSize), int((offset+int64(done))%pageSize)
		part := b[done:min(len(b), done+pageSize-at)]
		c.pages[page] = grow(c.pages[page], at+len(part))
		copy(c.pages[page][at:], part)
		done += len(part)
	}
	c.size = max(c.size, end)
	return len(b), nil
}

// truncate sets the size; what is added reads as zero.
func (c *content) truncate(size int64) error {
	if size < 0 {
		return syscall.EINVAL
	}
	if size > maxSize {
		return syscall.EFBIG
	}
	if size < c.size {
		pages := int((size + pageSize - 1) / pageSize)
		clear(c.pages[pages:])
		c.pages = c.pages[:pages]
		if at := int(size % pageSize); at != 0 && len(c.pages[pages-1]) > at {
			clear(c.pages[pages-1][at:])
			c.pages[pages-1] = c.pages[pages-1][:at]
		}
		if pages == 0 {
			c.pages = nil
		}
	}
	c.reach(size)
	c.size = size
	return nil
}

// reach makes slots for the pages up to end.
func (c *content) reach(end int64) {
	if n := int((end+pageSize-1)/pageSize) - len(c.pages); n > 0 {
		c.pages = append(c.pages, make([][]byte, n)...)
	}
}

// grow makes page at least n long, at most doubling its memory; n is at most pageSize. Bytes
// behind the old length are zero: truncate clears what it cuts off.
func grow(page []byte, n int) []byte {
	if n <= len(page) {
		return page
	}
	if n <= cap(page) {
		return page[:n]
	}
	bigger := make([]byte, n, min(pageSize, max(n, 2*cap(page))))
	copy(bigger, page)
	return bigger
}
