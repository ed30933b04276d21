package memfs

import (
	"syscall"
	"time"
)

// The type bits of a mode, and the bits that chmod can set.
const (
	typeMask   = 0o170000
	typeChar   = 0o020000
	typeDir    = 0o040000
	typeFile   = 0o100000
	typeLink   = 0o120000
	permission = 0o7777
)

// Stat describes a file, as stat(2) does.
type Stat struct {
	Ino                 uint64
	Mode                uint32
	Nlink               uint32
	UID, GID            uint32
	Size, Blocks        int64 // bytes; units of 512 bytes in use
	Atime, Mtime, Ctime time.Time
}

// node is a file of any type: an inode.
type node struct {
	space               *space
	opens               int  // open files
	freed               bool // what it took has been given back
	ino                 uint64
	mode                uint32
	nlink               uint32 // names, for a directory also "." and its children's ".."
	uid, gid            uint32
	atime, mtime, ctime time.Time

	data    content          // of a regular file
	target  string           // of a symbolic link
	entries map[string]*node // of a directory
	parent  *node            // of a directory: where ".." leads; nil once removed
	name    string           // of a directory: its name in parent
	device  device           // of a character device
	lock    lock
}

func (n *node) isDir() bool  { return n.mode&typeMask == typeDir }
func (n *node) isLink() bool { return n.mode&typeMask == typeLink }
func (n *node) isFile() bool { return n.mode&typeMask == typeFile }

func (n *node) stat() Stat {
	st := Stat{Ino: n.ino, Mode: n.mode, Nlink: n.nlink, UID: n.uid, GID: n.gid,
		Atime: n.atime, Mtime: n.mtime, Ctime: n.ctime}
	switch n.mode & typeMask {
	case typeFile:
		st.Size = n.data.size
		st.Blocks = (n.data.used() + 511) / 512
	case typeLink:
		st.Size = int64(len(n.target))
	case typeDir:
		st.Size = 4096
		st.Blocks = 8
	}
	return st
}

// add puts child into the directory n under name, which must be free.
func (n *node) add(name string, child *node, now time.Time) {
	n.entries[name] = child
	n.space.held += entrySize + int64(len(name))
	n.mtime, n.ctime = now, now
	if child.isDir() {
		child.parent, child.name = n, name
		n.nlink++
		return
	}
	child.nlink++
	child.ctime = now
}

// drop takes name out of the directory n. The node lives on while a descriptor is open on it.
func (n *node) drop(name string, now time.Time) *node {
	child := n.entries[name]
	delete(n.entries, name)
	n.space.held -= entrySize + int64(len(name))
	n.mtime, n.ctime = now, now
	child.ctime = now
	if child.isDir() {
		n.nlink--
		child.parent = nil
		return child
	}
	child.nlink--
	child.gone()
	return child
}

// within reports whether n is dir or lies below it.
func (n *node) within(dir *node) bool {
	for ; n != nil; n = n.parent {
		if n == dir {
			return true
		}
		if n.parent == n {
			return false
		}
	}
	return false
}

// path is the absolute path of a directory; ENOENT if it has been removed.
func (n *node) path() (string, error) {
	s := ""
	for n.parent != n {
		if n.parent == nil {
			return "", syscall.ENOENT
		}
		s = "/" + n.name + s
		n = n.parent
	}
	if s == "" {
		s = "/"
	}
	return s, nil
}
