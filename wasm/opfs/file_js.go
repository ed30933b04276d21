package opfs

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// file is an open FileSystemSyncAccessHandle.
type file struct {
	handle jsx.Value

	mu      sync.Mutex // of scratch: Sync comes while another method runs
	scratch jsx.Value  // a Uint8Array that what is read and written goes through
	size    int        // of scratch
}

const leastScratch = 64 << 10

// window is a Uint8Array of n bytes, which is good until the next call. mu must be held.
func (f *file) window(n int) (jsx.Value, error) {
	if f.size < n {
		class, err := jsx.Global("Uint8Array")
		if err != nil {
			return jsx.Value{}, err
		}
		size := max(n, leastScratch)
		if f.scratch, err = class.New(size); err != nil {
			return jsx.Value{}, err
		}
		f.size = size
	}
	return f.scratch.Call("subarray", 0, n)
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w, err := f.window(len(p))
	if err != nil {
		return 0, err
	}
	got, err := f.handle.Call("read", w, at(off))
	if err != nil {
		return 0, explain("read", err)
	}
	n, err := transferred(got, len(p))
	if err != nil {
		return 0, fmt.Errorf("read: %w", err)
	}
	if _, err := jsx.CopyToGo(p[:n], w); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt implements io.WriterAt.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w, err := f.window(len(p))
	if err != nil {
		return 0, err
	}
	if _, err := jsx.CopyToJS(w, p); err != nil {
		return 0, err
	}
	put, err := f.handle.Call("write", w, at(off))
	if err != nil {
		return 0, explain("write", err)
	}
	n, err := transferred(put, len(p))
	if err != nil {
		return 0, fmt.Errorf("write: %w", err)
	}
	if n < len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}

// errGone is what becomes of a file whose page's data somebody deleted.
var errGone = errors.New("this browser deleted what it kept of the page: nothing more of the cluster is kept; " +
	"download as YAML what you cannot lose (Clusters), then reload")

// transferred is how many of the asked bytes a call of read or write says that it moved. Chromium throws
// nothing when the file of a private window was deleted below its handle: it answers with the error's
// negative number, as an unsigned one. (In a profile on disk such writes go on, and lead nowhere: Dir.There.)
func transferred(answer jsx.Value, asked int) (int, error) {
	n, err := answer.Float()
	if err != nil {
		return 0, err
	}
	if n < 0 || n > float64(asked) {
		return 0, errGone
	}
	return int(n), nil
}

// Size implements persist.File.
func (f *file) Size() (int64, error) {
	size, err := f.handle.Call("getSize")
	if err != nil {
		return 0, explain("measure", err)
	}
	n, err := size.Float()
	return int64(n), err
}

// Truncate implements persist.File.
func (f *file) Truncate(size int64) error {
	_, err := f.handle.Call("truncate", float64(size))
	return explain("shorten", err)
}

// Sync implements persist.File.
func (f *file) Sync() error {
	_, err := f.handle.Call("flush")
	return explain("flush", err)
}

// Close implements persist.File.
func (f *file) Close() error {
	jsx.EndRole(f.handle)
	_, err := f.handle.Call("close")
	return explain("close", err)
}

// at is the FileSystemReadWriteOptions of an offset in bytes.
func at(off int64) map[string]any { return map[string]any{"at": float64(off)} }

// explain says what a DOMException of the file system means to who has the tab.
func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	if jsx.ExceptionName(err) == "QuotaExceededError" {
		return fmt.Errorf("%s: this browser's storage for the page is full: %w", doing, err)
	}
	if jsx.ExceptionName(err) == "NotFoundError" {
		return fmt.Errorf("%s: %w", doing, errGone)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
