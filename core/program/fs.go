package program

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Mount places a host path at a path inside the file system.
type Mount struct {
	// Path is absolute, inside.
	Path string
	// HostPath is a file or directory of the operating system. It is opened at the file
	// system's first use, and stays what is mounted whatever its name leads to later.
	HostPath string
	// Within is a directory that HostPath must not lead out of; empty for anywhere.
	Within   string
	ReadOnly bool
	// Kind is the kind of the file system that is mounted, as in mount(8): "tmpfs". Empty is that of
	// the disk.
	Kind string
	// Contents is what a file of the mount reads as, by its path below it, in place of its bytes; false
	// for its bytes. It is for file systems that a kernel makes as they are read (cgroup2, proc).
	Contents func(rel string) ([]byte, bool)
}

// FS is a root directory with mounts over it. Paths inside are absolute and slash-separated;
// no path and no symbolic link leads out of the root or of the mounts: an absolute link means
// the FS's own root, wherever it lies, as in a mount namespace.
//
// Each FS is that of a user (Credentials) with an umask: As and WithUmask give the same files to
// another.
type FS struct {
	*namespace
	user  Credentials
	umask fs.FileMode
}

// namespace is what all users of a file system have in common.
type namespace struct {
	root   string
	mounts []Mount // as given, shortest path first

	once  sync.Once
	top   *mounted
	table map[string]*mounted // by their path with links followed; see prepare

	disk   Disk
	cgroup *Cgroup
	plain  bool // see Plain
}

// NewFS returns a file system on the directory root of the operating system. Mount points
// that are missing are made in it at first use, as container runtimes do; by then root must
// have its files, because a mount point may lie behind a symbolic link (/var/run → /run).
func NewFS(root string, mounts ...Mount) *FS {
	ms := make([]Mount, len(mounts))
	for i, m := range mounts {
		m.Path = path.Clean("/" + m.Path)
		ms[i] = m
	}
	slices.SortStableFunc(ms, func(a, b Mount) int { return len(a.Path) - len(b.Path) })
	return &FS{namespace: &namespace{root: root, mounts: ms}, umask: DefaultUmask}
}

// Mounts lists the mounts, innermost first.
func (f *FS) Mounts() []Mount {
	ms := slices.Clone(f.mounts)
	slices.Reverse(ms)
	return ms
}

// Resolve gives the operating system's path for the absolute path name, and whether it may
// not be written. Symbolic links are followed, the last one too; the last element may be
// missing. Errors are *fs.PathError with the path inside.
func (f *FS) Resolve(name string) (host string, readOnly bool, err error) {
	defer f.begin()()
	at, err := f.walk(name, true)
	if err != nil {
		return "", false, pathError("resolve", name, err)
	}
	return at.host(), at.readOnly, nil
}

// within tells whether name is dir or lies below it.
func within(dir, name string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
