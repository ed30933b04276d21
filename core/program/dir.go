package program

import (
	"errors"
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
	return f.described(at.host(), path.Base(path.Clean("/"+name)), info), nil
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

// ReadDir lists a directory, sorted by name, with the mount points in it as what is mounted.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	defer f.begin()()
	at, err := f.walk(name, true)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	if err := f.may(at, mayRead); err != nil {
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
	for i, entry := range entries {
		entries[i] = describedEntry{entry, f, at}
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
			mount := place{on: m, rel: "."}
			if info, err := mount.stat(); err == nil {
				put(f.described(mount.host(), path.Base(mountPath), info))
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
	dir, err := f.mayMake(at)
	if err != nil {
		return err
	}
	if err := f.makeEntry(); err != nil {
		return err
	}
	if err := at.do(func(t tree, rel string) error { return t.mkdir(rel, perm.Perm()|0o700) }); err != nil {
		return err
	}
	look := at.stat
	if f.user.Root() {
		look = at.peek
	}
	info, err := look()
	if err == nil {
		f.made(at, info, perm, dir)
	}
	return err
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
	at, err := f.take(name)
	if err == nil {
		err = at.do(tree.remove)
	}
	return pathError("remove", name, err)
}

// RemoveAll removes name and all below it; that it does not exist is no error. What is
// mounted below is left alone and makes it fail with EBUSY.
func (f *FS) RemoveAll(name string) error {
	if !f.user.Root() {
		return f.removeEach(name)
	}
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

// removeEach is RemoveAll for whom not everything is open.
func (f *FS) removeEach(name string) error {
	info, err := f.Lstat(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if info.IsDir() {
		entries, err := f.ReadDir(name)
		if err != nil && len(entries) == 0 {
			return f.Remove(name) // an empty one need not be read
		}
		for _, entry := range entries {
			if err := f.removeEach(path.Join(name, entry.Name())); err != nil {
				return err
			}
		}
	}
	return f.Remove(name)
}

// take is change for an entry that is to go.
func (f *FS) take(name string) (place, error) {
	at, err := f.change(name, false)
	if err != nil || f.user.Root() {
		return at, err
	}
	if _, err := at.stat(); err != nil {
		return at, err
	}
	return at, f.mayTake(at)
}

// Rename moves oldName to newName; from one mount to another is EXDEV.
func (f *FS) Rename(oldName, newName string) error {
	defer f.begin()()
	err := f.mayMove(oldName, newName)
	if err == nil {
		err = f.twoPlaces(oldName, newName, tree.rename)
	}
	return pathError("rename", oldName, err)
}

// mayMove asks both directories; what newName has now is taken.
func (f *FS) mayMove(oldName, newName string) error {
	if f.user.Root() {
		return nil
	}
	if _, err := f.take(oldName); err != nil {
		return err
	}
	_, err := f.take(newName)
	if errors.Is(err, fs.ErrNotExist) {
		var to place
		if to, err = f.walk(newName, false); err == nil {
			_, err = f.mayMake(to)
		}
	}
	return err
}

// Link makes newName another name of the file oldName.
func (f *FS) Link(oldName, newName string) error {
	defer f.begin()()
	err := f.mayEnter(newName)
	if err == nil {
		err = f.makeEntry()
	}
	if err == nil {
		err = f.twoPlaces(oldName, newName, tree.link)
	}
	return pathError("link", newName, err)
}

// mayEnter asks the directory in which name is to be made.
func (f *FS) mayEnter(name string) error {
	at, err := f.walk(name, false)
	if err == nil {
		_, err = f.mayMake(at)
	}
	return err
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

// Symlink makes name a symbolic link to target, which programs read as it was written.
func (f *FS) Symlink(target, name string) error {
	defer f.begin()()
	at, err := f.change(name, false)
	var dir Attributes
	if err == nil {
		dir, err = f.mayMake(at)
	}
	if err == nil {
		err = f.makeEntry()
	}
	if err == nil {
		err = at.do(func(t tree, rel string) error { return t.symlink(target, rel) })
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = at.stat(); err == nil {
			f.made(at, info, 0, dir)
		}
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
	if err == nil && !f.user.Root() {
		err = f.mayAlter(at, op)
	}
	if err == nil {
		err = at.do(do)
	}
	return pathError(op, name, err)
}

// mayAlter asks for a file's times, which its owner may set as well, or its size.
func (f *FS) mayAlter(at place, op string) error {
	attrs, err := f.attributesAt(at)
	switch {
	case err != nil:
		return err
	case op == "chtimes" && attrs.UID == f.user.EUID, attrs.allows(f.user, mayWrite):
		return nil
	}
	return syscall.EACCES
}
