package persist

import (
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// memory is a Sink whose files are in memory, as a kernel has them (data) and as
// the disk has them (disk). It can fail, and it can lose power.
type memory struct {
	mu     sync.Mutex
	files  map[string]*memoryFile
	onDisk map[string]*memoryFile // the directory as the disk has it
	fail   func(op, name string) error
}

type memoryFile struct {
	m    *memory
	name string
	data []byte
	disk []byte
}

func newMemory() *memory {
	return &memory{files: map[string]*memoryFile{}, onDisk: map[string]*memoryFile{}}
}

func (m *memory) failed(op, name string) error {
	if m.fail == nil {
		return nil
	}
	return m.fail(op, name)
}

func (m *memory) Files() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.files)), m.failed("files", "")
}

func (m *memory) Open(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failed("open", name); err != nil {
		return nil, err
	}
	if m.files[name] == nil {
		m.files[name] = &memoryFile{m: m, name: name}
	}
	return m.files[name], nil
}

func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
	return m.failed("remove", name)
}

func (m *memory) Sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failed("sync", ""); err != nil {
		return err
	}
	m.onDisk = maps.Clone(m.files)
	return nil
}

func (m *memory) Close() error { return nil }

// copy returns a Sink of its own with the same files.
func (m *memory) copy() *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := newMemory()
	for name, f := range m.files {
		c.files[name] = &memoryFile{m: c, name: name, data: slices.Clone(f.data), disk: slices.Clone(f.data)}
	}
	c.onDisk = maps.Clone(c.files)
	return c
}

// afterPowerLoss returns what a disk may hold: of everything that was not synced,
// each file's length and each sector is as before or as after, a sector that is
// new and was not written is zero.
func (m *memory) afterPowerLoss(r *rand.Rand) *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := newMemory()
	dir := m.onDisk
	if r.IntN(2) == 0 {
		dir = m.files
	}
	for name, f := range dir {
		size := len(f.disk)
		if r.IntN(3) > 0 {
			size = min(len(f.disk), len(f.data)) + r.IntN(max(1, 1+len(f.data)-len(f.disk)))
		}
		data := make([]byte, size)
		for from := 0; from < size; from += sector {
			to := min(from+sector, size)
			source := f.disk
			if r.IntN(2) == 0 || len(f.disk) >= to && len(f.data) < to {
				source = f.data
			}
			if from < len(source) {
				copy(data[from:to], source[from:])
			}
			// What was on disk already and is the same in both stays.
			if to <= len(f.disk) && to <= len(f.data) {
				copy(data[from:to], f.disk[from:to])
			} else if from < len(f.disk) && source != nil && len(f.data) >= len(f.disk) {
				copy(data[from:to], f.disk[from:min(to, len(f.disk))])
			}
		}
		c.files[name] = &memoryFile{m: c, name: name, data: data, disk: slices.Clone(data)}
	}
	c.onDisk = maps.Clone(c.files)
	return c
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

var errDiskFull = errors.New("disk full")

func (f *memoryFile) WriteAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	err := f.m.failed("write", f.name)
	if err != nil {
		p = p[:len(p)/2]
	}
	if end := int(off) + len(p); end > len(f.data) {
		f.data = append(f.data, make([]byte, end-len(f.data))...)
	}
	return copy(f.data[off:], p), err
}

func (f *memoryFile) Size() (int64, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *memoryFile) Truncate(size int64) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.m.failed("truncate", f.name); err != nil {
		return err
	}
	f.data = f.data[:size:size]
	return nil
}

func (f *memoryFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.m.failed("syncfile", f.name); err != nil {
		return err
	}
	f.disk = slices.Clone(f.data)
	return nil
}

func (f *memoryFile) Close() error { return nil }
