package osfs

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// OS implements kubecontainer.OSInterface below one root directory.
type OS struct {
	root     string
	hostname string
}

var _ kubecontainer.OSInterface = (*OS)(nil)

// New makes the view of a node called hostname whose "/" is the absolute
// directory root.
func New(root, hostname string) *OS { return &OS{root: filepath.Clean(root), hostname: hostname} }

// Path is where path of the node really is.
func (o *OS) Path(path string) string {
	if !filepath.IsAbs(path) || path == o.root || strings.HasPrefix(path, o.root+"/") {
		return path
	}
	return filepath.Join(o.root, path)
}

// Hostname is the node's name.
func (o *OS) Hostname() (string, error) { return o.hostname, nil }

// Symlink makes newname point to oldname by a relative path, which is the same
// seen from the node and from a container that mounts a directory above both.
func (o *OS) Symlink(oldname, newname string) error {
	target, link := oldname, o.Path(newname)
	if filepath.IsAbs(oldname) {
		if rel, err := filepath.Rel(filepath.Dir(link), o.Path(oldname)); err == nil {
			target = rel
		}
	}
	return os.Symlink(target, link)
}

// Glob matches in the node's file system and returns real paths.
func (o *OS) Glob(pattern string) ([]string, error) { return filepath.Glob(o.Path(pattern)) }

// Pipe is os.Pipe; there is none on js, where it returns the operating system's error.
func (o *OS) Pipe() (r, w *os.File, err error) { return os.Pipe() }

// The rest are the calls of package os, on the node's paths.

func (o *OS) MkdirAll(path string, perm os.FileMode) error { return os.MkdirAll(o.Path(path), perm) }
func (o *OS) Stat(path string) (os.FileInfo, error)        { return os.Stat(o.Path(path)) }
func (o *OS) Remove(path string) error                     { return os.Remove(o.Path(path)) }
func (o *OS) RemoveAll(path string) error                  { return os.RemoveAll(o.Path(path)) }
func (o *OS) Create(path string) (*os.File, error)         { return os.Create(o.Path(path)) }
func (o *OS) Chmod(path string, perm os.FileMode) error    { return os.Chmod(o.Path(path), perm) }
func (o *OS) Chtimes(path string, atime, m time.Time) error {
	return os.Chtimes(o.Path(path), atime, m)
}
func (o *OS) ReadDir(dirname string) ([]os.DirEntry, error) { return os.ReadDir(o.Path(dirname)) }
func (o *OS) Open(name string) (*os.File, error)            { return os.Open(o.Path(name)) }
func (o *OS) Rename(oldpath, newpath string) error {
	return os.Rename(o.Path(oldpath), o.Path(newpath))
}

func (o *OS) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(o.Path(name), flag, perm)
}
