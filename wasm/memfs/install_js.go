package memfs

import (
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/wasm/goroot"
)

// Installed is the file system below package os.
var Installed = New()

func init() {
	f := Installed
	if err := Seed(f); err != nil {
		panic("memfs: seed: " + err.Error())
	}
	goroot.SetFileSystem(system{f})
}

// The flags of this package are syscall's: any that differs does not compile.
var (
	_ = [1]int{}[O_WRONLY-syscall.O_WRONLY]
	_ = [1]int{}[O_RDWR-syscall.O_RDWR]
	_ = [1]int{}[O_CREAT-syscall.O_CREAT]
	_ = [1]int{}[O_EXCL-syscall.O_EXCL]
	_ = [1]int{}[O_TRUNC-syscall.O_TRUNC]
	_ = [1]int{}[O_APPEND-syscall.O_APPEND]
	_ = [1]int{}[O_SYNC-syscall.O_SYNC]
	_ = [1]int{}[O_DIRECTORY-syscall.O_DIRECTORY]
	_ = [1]int{}[typeDir-syscall.S_IFDIR]
	_ = [1]int{}[typeLink-syscall.S_IFLNK]
	_ = [1]int{}[typeChar-syscall.S_IFCHR]
)

// system gives an FS the types of package syscall.
type system struct{ *FS }

var _ goroot.FileSystem = system{}

func (s system) Stat(path string, st *syscall.Stat_t, follow bool) error {
	found, err := s.FS.Stat(path, follow)
	if err == nil {
		fill(st, found)
	}
	return err
}

func (s system) Fstat(fd int, st *syscall.Stat_t) error {
	found, err := s.FS.Fstat(fd)
	if err == nil {
		fill(st, found)
	}
	return err
}

func fill(st *syscall.Stat_t, s Stat) {
	*st = syscall.Stat_t{
		Dev: 1, Ino: s.Ino, Mode: s.Mode, Nlink: s.Nlink, Uid: s.UID, Gid: s.GID,
		Size: s.Size, Blksize: 4096, Blocks: int32(s.Blocks),
		Atime: s.Atime.Unix(), AtimeNsec: int64(s.Atime.Nanosecond()),
		Mtime: s.Mtime.Unix(), MtimeNsec: int64(s.Mtime.Nanosecond()),
		Ctime: s.Ctime.Unix(), CtimeNsec: int64(s.Ctime.Nanosecond()),
	}
}

// omit is UTIME_OMIT of package internal/syscall/unix on js: it stands in the seconds as well
// as, elsewhere, in the nanoseconds.
const omit = -0x2

func (s system) UtimesNano(path string, ts []syscall.Timespec) error {
	if len(ts) != 2 {
		return syscall.EINVAL
	}
	var times [2]time.Time
	for i, t := range ts {
		if t.Sec != omit && t.Nsec != omit {
			times[i] = time.Unix(t.Sec, t.Nsec)
		}
	}
	return s.SetTimes(path, times[0], times[1])
}
