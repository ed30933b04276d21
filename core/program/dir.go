package program

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Stat describes what name leads to.
func (f *FS) Stat(name string) (fs.FileInfo, error) { return f.stat("stat", name, true) }

// Lstat describes name itself, be it a symbolic link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) { return f.stat("lstat", name, false) }

func (f *FS) stat(op, name string, follow bool) (fs.FileInfo, error) {
	defer f.begin()()
	at, err := f.walk(name, follow)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	if _, ok := devices[at.name]; ok {
		return deviceInfo(path.Base(at.name)), nil
	}
	info, err := at.stat()
	if err != nil {
		return nil, pathError(op, name, err)
	}
	return named{info, path.Base(path.Clean("/" + name))}, nil
}

// SameFile tells whether two paths lead to one file.
func (f *FS) SameFile(a, b string) bool {
	defer f.begin()()
	x, err := f.walk(a, true)
	if err != nil {
		return false
	}
	y, err := f.walk(b, true)
	if err != nil {
		return false
	}
	infoX, errX := x.stat()
	infoY, errY := y.stat()
	return errX == nil && errY == nil && os.SameFile(infoX, infoY)
}

// named is a FileInfo under its name inside, which may differ at a mount point.
type named struct {
	fs.FileInfo
	name string
}

func (n named) Name() string { return n.name }

// ReadDir lists a directory, sorted by name, with the mount points in it as what is mounted.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	defer f.begin()()
	at, err := f.walk(name, true)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	var entries []fs.DirEntry
	err = at.do(func(t tree, rel string) (err error) {
		entries, err = readDir(t, rel)
		return err
	})
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	put := func(info fs.FileInfo) {
		entry := fs.FileInfoToDirEntry(info)
		i, found := slices.BinarySearchFunc(entries, info.Name(), func(e fs.DirEntry, name string) int {
			return strings.Compare(e.Name(), name)
		})
		if found {
			entries[i] = entry
		} else {
			entries = slices.Insert(entries, i, entry)
		}
	}
	for mountPath, m := range f.table {
		if path.Dir(mountPath) == at.name && mountPath != "/" {
			if info, err := (place{on: m, rel: "."}).stat(); err == nil {
				put(named{info, path.Base(mountPath)})
			}
		}
	}
	if at.name == "/dev" {
		for name := range devices {
			put(deviceInfo(path.Base(name)))
		}
	}
	return entries, nil
}

// change resolves a path whose entry is to be made, changed or removed: it must be writable,
// and neither a mount point nor a device.
func (f *FS) change(name string, follow bool) (place, error) {
	at, err := f.walk(name, follow)
	switch {
	case err != nil:
		return at, err
	case at.mounted:
		return at, syscall.EBUSY
	case at.readOnly:
		return at, syscall.EROFS
	}
	if _, ok := devices[at.name]; ok {
		return at, syscall.EBUSY
	}
	return at, nil
}

// Mkdir makes one directory.
func (f *FS) Mkdir(name string, perm fs.FileMode) error {
	return pathError("mkdir", name, f.mkdir(name, perm))
}

func (f *FS) mkdir(name string, perm fs.FileMode) error {
	defer f.begin()()
	at, err := f.walk(name, false)
	if err != nil {
		return err
	}
	if _, err := at.stat(); err == nil || at.mounted {
		return syscall.EEXIST
	}
	if at.readOnly {
		return syscall.EROFS
	}
	if err := f.makeEntry(); err != nil {
		return err
	}
	return at.do(func(t tree, rel string) error {
		if err := t.mkdir(rel, perm); err != nil || perm == perm.Perm() {
			return err
		}
		return t.chmod(rel, perm)
	})
}

// MkdirAll makes a directory and what is missing above it.
func (f *FS) MkdirAll(name string, perm fs.FileMode) error {
	name = path.Clean("/" + name)
	if info, err := f.Stat(name); err == nil {
		if info.IsDir() {
			return nil
		}
		return pathError("mkdir", name, syscall.ENOTDIR)
	}
	if err := f.MkdirAll(path.Dir(name), perm); err != nil {
		return err
	}
	return f.Mkdir(name, perm)
}

// Remove removes a file or an empty directory.
func (f *FS) Remove(name string) error {
	defer f.begin()()
	at, err := f.change(name, false)
	if err == nil {
		err = at.do(tree.remove)
	}
	return pathError("remove", name, err)
}

// RemoveAll removes name and all below it; that it does not exist is no error. What is
// mounted below is left alone and makes it fail with EBUSY.
func (f *FS) RemoveAll(name string) error {
	defer f.begin()()
	at, err := f.change(name, false)
	if err == nil {
		for mountPath := range f.table {
			if within(at.name, mountPath) {
				return pathError("remove", name, syscall.EBUSY)
			}
		}
		err = at.do(tree.removeAll)
	}
	return pathError("remove", name, err)
}

// Rename moves oldName to newName; from one mount to another is EXDEV.
func (f *FS) Rename(oldName, newName string) error {
	defer f.begin()()
	err := f.twoPlaces(oldName, newName, tree.rename)
	return pathError("rename", oldName, err)
}

// Link makes newName another name of the file oldName.
func (f *FS) Link(oldName, newName string) error {
	defer f.begin()()
	err := f.makeEntry()
	if err == nil {
		err = f.twoPlaces(oldName, newName, tree.link)
	}
	return pathError("link", newName, err)
}

func (f *FS) twoPlaces(oldName, newName string, do func(t tree, from, to string) error) error {
	from, err := f.change(oldName, false)
	if err != nil {
		return err
	}
	to, err := f.change(newName, false)
	if err != nil {
		return err
	}
	if from.on != to.on {
		return syscall.EXDEV
	}
	return from.do(func(t tree, rel string) error { return do(t, rel, to.rel) })
}

// Symlink makes name a symbolic link to target, which is kept as it is written.
func (f *FS) Symlink(target, name string) error {
	defer f.begin()()
	at, err := f.change(name, false)
	if err == nil {
		err = f.makeEntry()
	}
	if err == nil {
		err = at.do(func(t tree, rel string) error { return t.symlink(target, rel) })
	}
	return pathError("symlink", name, err)
}

// Readlink gives the target of a symbolic link as it was written.
func (f *FS) Readlink(name string) (target string, err error) {
	defer f.begin()()
	at, err := f.walk(name, false)
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	if at.mounted {
		return "", pathError("readlink", name, syscall.EINVAL)
	}
	err = at.do(func(t tree, rel string) (err error) {
		target, err = t.readlink(rel)
		return err
	})
	return target, pathError("readlink", name, err)
}

// RealPath gives the path inside with all links followed; the last element may be missing.
func (f *FS) RealPath(name string) (string, error) {
	defer f.begin()()
	at, err := f.walk(name, true)
	return at.name, pathError("realpath", name, err)
}

// Chmod changes the permission bits of what name leads to.
func (f *FS) Chmod(name string, mode fs.FileMode) error {
	return f.attribute("chmod", name, func(t tree, rel string) error { return t.chmod(rel, mode) })
}

// Chtimes changes the access and modification times of what name leads to.
func (f *FS) Chtimes(name string, atime, mtime time.Time) error {
	return f.attribute("chtimes", name, func(t tree, rel string) error { return t.chtimes(rel, atime, mtime) })
}

// Truncate changes the size of a file, in bytes.
func (f *FS) Truncate(name string, size int64) error {
	return f.attribute("truncate", name, func(t tree, rel string) error {
		file, err := t.open(rel, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err == nil {
			err = f.reserve(size-info.Size(), 0)
		}
		if err == nil {
			err = file.Truncate(size)
		}
		return err
	})
}

func (f *FS) attribute(op, name string, do func(t tree, rel string) error) error {
	defer f.begin()()
	at, err := f.walk(name, true)
	if _, ok := devices[at.name]; ok {
		return nil
	}
	if err == nil && at.readOnly {
		err = syscall.EROFS
	}
	if err == nil {
		err = at.do(do)
	}
	return pathError(op, name, err)
}
