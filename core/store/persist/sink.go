package persist

import (
	"io"
)

// Sink is a flat set of files that one process has for itself. It asks for no more
// than the browser's origin-private file system can do through synchronous access
// handles. Its methods are called by one goroutine at a time.
type Sink interface {
	// Files returns the names of all files.
	Files() ([]string, error)
	// Open opens a file, which is made if it does not exist.
	Open(name string) (File, error)
	// Remove removes a file, which is not open.
	Remove(name string) error
	// Sync makes durable that files were made or removed.
	Sync() error
	// Close gives the files free for the next one.
	Close() error
}

// File is an open file. Sync may be called while another method runs.
type File interface {
	io.ReaderAt
	io.WriterAt
	// Size is in bytes.
	Size() (int64, error)
	// Truncate shortens the file to size bytes.
	Truncate(size int64) error
	// Sync makes durable what was written and truncated so far.
	Sync() error
	Close() error
}
