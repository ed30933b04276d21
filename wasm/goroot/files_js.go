package goroot

import (
	"syscall"
	_ "unsafe" // for go:linkname
)

// FileSystem takes the file calls of package syscall: flags, modes and errors are syscall's.
// It is the mirror of syscall's fileSystem (wasm/overlay/_files/GOROOT/src/syscall/files_js.go);
// the two must have the same methods. Descriptors 0, 1 and 2 come with Fstat, Dup and Dup2 only.
type FileSystem interface {
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
	Fstat(fd int, st *syscall.Stat_t) error
	Fsync(fd int) error
	Ftruncate(fd int, size int64) error
	Getcwd() (string, error)
	Link(path, link string) error
	Mkdir(path string, perm uint32) error
	Open(path string, flags int, perm uint32) (int, error)
	Pread(fd int, b []byte, offset int64) (int, error)
	Pwrite(fd int, b []byte, offset int64) (int, error)
	Read(fd int, b []byte) (int, error)
	// ReadDirent fills b with syscall.Dirent records, each with its length first.
	ReadDirent(fd int, b []byte) (int, error)
	Readlink(path string) (string, error)
	Rename(from, to string) error
	Rmdir(path string) error
	Seek(fd int, offset int64, whence int) (int64, error)
	Stat(path string, st *syscall.Stat_t, follow bool) error
	Symlink(target, link string) error
	Truncate(path string, size int64) error
	Umask(mask int) int
	Unlink(path string) error
	UtimesNano(path string, ts []syscall.Timespec) error
	Write(fd int, b []byte) (int, error)
}

// SetFileSystem puts f under package syscall, for good. Files that are open keep their
// descriptors' numbers but not their meaning: call it before any is opened.
func SetFileSystem(f FileSystem) { setFiles(f) }

//go:linkname setFiles syscall.setFiles
func setFiles(f FileSystem)
