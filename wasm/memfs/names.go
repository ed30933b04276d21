package memfs

import "syscall"

// Mkdir makes a directory.
func (f *FS) Mkdir(path string, perm uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.vacant(path, true)
	if err != nil {
		return err
	}
	n := f.newNode(typeDir | perm&0o1777&^f.umask)
	p.dir.add(p.name, n, n.ctime)
	return nil
}

// Symlink makes a symbolic link at link, which says target.
func (f *FS) Symlink(target, link string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if target == "" {
		return syscall.ENOENT
	}
	if len(target) >= maxPath {
		return syscall.ENAMETOOLONG
	}
	p, err := f.vacant(link, false)
	if err != nil {
		return err
	}
	n := f.newNode(typeLink | 0o777)
	n.target = target
	f.space.held += int64(len(target))
	p.dir.add(p.name, n, n.ctime)
	return nil
}

// Link gives the file at path (a link itself, not what it leads to) a second name.
func (f *FS) Link(path, link string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup(path, false)
	if err != nil {
		return err
	}
	p, err := f.vacant(link, false)
	if err != nil {
		return err
	}
	if n.isDir() {
		return syscall.EPERM
	}
	p.dir.add(p.name, n, f.now())
	return nil
}

// vacant finds the free place for a new name; a slash may follow the name of a directory only.
// Caller holds mu.
func (f *FS) vacant(path string, dir bool) (place, error) {
	p, err := f.walk(path, never)
	if err != nil {
		return place{}, err
	}
	switch {
	case p.node != nil:
		return place{}, syscall.EEXIST
	case p.dir.parent == nil: // a removed directory takes no names
		return place{}, syscall.ENOENT
	case p.slash && !dir:
		return place{}, syscall.ENOENT
	}
	return p, f.room(p)
}

// room tells whether there is space for a new file at p.
func (f *FS) room(p place) error {
	need := int64(inodeSize + entrySize + len(p.name))
	err := f.space.take(need)
	if err == nil {
		f.space.held -= need
	}
	return err
}

// Readlink is what the symbolic link at path says.
func (f *FS) Readlink(path string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup(path, false)
	if err != nil {
		return "", err
	}
	if !n.isLink() {
		return "", syscall.EINVAL
	}
	return n.target, nil
}

// Unlink removes a name that is not a directory's.
func (f *FS) Unlink(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.walk(path, never)
	switch {
	case err != nil:
		return err
	case p.node == nil:
		return syscall.ENOENT
	case p.node.isDir():
		return syscall.EISDIR
	case p.slash:
		return syscall.ENOTDIR
	}
	p.dir.drop(p.name, f.now())
	return nil
}

// Rmdir removes an empty directory.
func (f *FS) Rmdir(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.walk(path, never)
	switch {
	case err != nil:
		return err
	case p.node == nil:
		return syscall.ENOENT
	case !p.node.isDir():
		return syscall.ENOTDIR
	case p.node == f.root:
		return syscall.EBUSY
	case p.name == ".":
		return dotError(path)
	case len(p.node.entries) > 0:
		return syscall.ENOTEMPTY
	}
	n := p.dir.drop(p.name, f.now())
	n.nlink = 0
	n.gone()
	return nil
}

// dotError is what rmdir(2) says of a path that ends in "." or "..".
func dotError(path string) error {
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	if len(path) >= 2 && path[len(path)-2:] == ".." {
		return syscall.ENOTEMPTY
	}
	return syscall.EINVAL
}

// Rename moves a name, replacing at once what is at the new one.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	src, err := f.walk(from, never)
	if err != nil {
		return err
	}
	dst, err := f.walk(to, never)
	if err != nil {
		return err
	}
	switch {
	case src.name == "." || dst.name == ".":
		return syscall.EBUSY
	case src.node == nil:
		return syscall.ENOENT
	case dst.dir.parent == nil:
		return syscall.ENOENT
	case !src.node.isDir() && (src.slash || dst.slash):
		return syscall.ENOTDIR
	case src.node == dst.node:
		return nil
	case src.node.isDir() && dst.dir.within(src.node):
		return syscall.EINVAL
	}
	if old := dst.node; old != nil {
		switch {
		case old.isDir() && src.dir.within(old):
			return syscall.ENOTEMPTY
		case src.node.isDir() && !old.isDir():
			return syscall.ENOTDIR
		case !src.node.isDir() && old.isDir():
			return syscall.EISDIR
		case old.isDir() && len(old.entries) > 0:
			return syscall.ENOTEMPTY
		}
		if dst.dir.drop(dst.name, f.now()); old.isDir() {
			old.nlink = 0
			old.gone()
		}
	}
	src.node.opens++ // it is not gone in between
	n := src.dir.drop(src.name, f.now())
	dst.dir.add(dst.name, n, f.now())
	n.opens--
	return nil
}
