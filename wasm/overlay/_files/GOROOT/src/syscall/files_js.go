//go:build js && wasm

package syscall

import (
	"syscall/js"
	_ "unsafe" // for go:linkname
)

// inMemory, when set, takes every file call except reading from descriptor 0 and writing to 1 and
// 2, which stay with the host. Calls made before it is set go to the host's fs, as always.
var inMemory fileSystem

// fileSystem is the mirror of the interface of that name in the package wasm/goroot of
// Tabernetes; the two must have the same methods.
type fileSystem interface {
	Chdir(path string) error
	Chmod(path string, mode uint32) error
	Chown(path string, uid, gid int, follow bool) error
	Close(fd int) error
	Dup(fd int) (int, error)
	Dup2(fd, to int) error
	Fchdir(fd int) error
	Fchmod(fd int, mode uint32) error
	Fchown(fd int, uid, gid int) error
	Flock(fd, how int) error
	Fstat(fd int, st *Stat_t) error
	Fsync(fd int) error
	Ftruncate(fd int, size int64) error
	Getcwd() (string, error)
	Link(path, link string) error
	Mkdir(path string, perm uint32) error
	Open(path string, flags int, perm uint32) (int, error)
	Pread(fd int, b []byte, offset int64) (int, error)
	Pwrite(fd int, b []byte, offset int64) (int, error)
	Read(fd int, b []byte) (int, error)
	ReadDirent(fd int, b []byte) (int, error)
	Readlink(path string) (string, error)
	Rename(from, to string) error
	Rmdir(path string) error
	Seek(fd int, offset int64, whence int) (int64, error)
	Stat(path string, st *Stat_t, follow bool) error
	Symlink(target, link string) error
	Truncate(path string, size int64) error
	Umask(mask int) int
	Unlink(path string) error
	UtimesNano(path string, ts []Timespec) error
	Write(fd int, b []byte) (int, error)
}

// setFiles is called by package wasm/goroot.
//
//go:linkname setFiles
func setFiles(f fileSystem) { inMemory = f }

// writeHost writes to the host's standard output or error at once. Upstream's way, a callback,
// completes under Node only when no goroutine is runnable, so that each line of a log waits
// for the whole program to be idle.
func writeHost(fd int, b []byte) (n int, err error) {
	defer recoverErr(&err)
	buf := uint8Array.New(len(b))
	js.CopyBytesToJS(buf, b)
	return jsFS.Call("writeSync", fd, buf).Int(), nil
}
