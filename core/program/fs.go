package program

import (
	"path"
	"sort"
	"strings"

	securejoin "github.com/cyphar/filepath-securejoin"
)

// Mount places a host path at a path inside the file system.
type Mount struct {
	// Path is absolute, inside.
	Path string
	// HostPath is a file or directory of the operating system.
	HostPath string
	ReadOnly bool
}

// FS is a root directory with mounts over it. Paths inside are absolute and slash-separated;
// no path and no symbolic link leads out of the root or of the mount that it is in.
type FS struct {
	root   string
	mounts []Mount // longest path first
}

// NewFS returns a file system on the directory root of the operating system.
func NewFS(root string, mounts ...Mount) *FS {
	ms := make([]Mount, len(mounts))
	for i, m := range mounts {
		m.Path = path.Clean("/" + m.Path)
		ms[i] = m
	}
	sort.SliceStable(ms, func(i, j int) bool { return len(ms[i].Path) > len(ms[j].Path) })
	return &FS{root: root, mounts: ms}
}

// Mounts lists the mounts, innermost first.
func (f *FS) Mounts() []Mount { return append([]Mount(nil), f.mounts...) }

// Resolve gives the operating system's path for the absolute path name, and whether it may
// not be written. Symbolic links are followed within their own root; the last element may
// be missing.
func (f *FS) Resolve(name string) (host string, readOnly bool, err error) {
	name = path.Clean("/" + name)
	for _, m := range f.mounts {
		if name == m.Path {
			return m.HostPath, m.ReadOnly, nil
		}
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(m.Path, "/")+"/"); ok {
			host, err = securejoin.SecureJoin(m.HostPath, rest)
			return host, m.ReadOnly, err
		}
	}
	host, err = securejoin.SecureJoin(f.root, name)
	return host, false, err
}
