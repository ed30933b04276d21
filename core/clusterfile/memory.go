package clusterfile

import (
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// memory is a Sink whose files are in memory.
type memory struct {
	mu    sync.Mutex
	files map[string]*file
}

type file struct {
	mu   *sync.Mutex
	data []byte
}

func newMemory() *memory { return &memory{files: map[string]*file{}} }

func (m *memory) Files() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.files)), nil
}

func (m *memory) Open(name string) (persist.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] == nil {
		m.files[name] = &file{mu: &m.mu}
	}
	return m.files[name], nil
}

func (m *memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
	return nil
}

func (*memory) Sync() error  { return nil }
func (*memory) Close() error { return nil }

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := int(off) + len(p); end > len(f.data) {
		f.data = append(f.data, make([]byte, end-len(f.data))...)
	}
	return copy(f.data[off:], p), nil
}

func (f *file) Size() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *file) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.data = f.data[:size]
	return nil
}

func (*file) Sync() error  { return nil }
func (*file) Close() error { return nil }
