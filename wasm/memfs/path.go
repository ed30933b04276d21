package memfs

import (
	"strings"
	"syscall"
)

// Limits of Linux.
const (
	maxPath  = 4096
	maxName  = 255
	maxLinks = 40
)

// place is where a path's last element is, or would be.
type place struct {
	dir  *node  // the directory that holds it
	name string // "." for the root, and for a path that ends in "." or ".."
	node *node  // nil if there is none
	// slash says that the path ended in "/": it must be a directory, or nothing yet.
	slash bool
}

// links says which symbolic links at the end of a path are followed.
type links int

const (
	never   links = iota // to make, move and remove names
	ifSlash              // those with a slash behind them
	always
)

// lookup finds the node at path. With follow, a symbolic link at the end is followed too.
// Caller holds mu.
func (f *FS) lookup(path string, follow bool) (*node, error) {
	which := ifSlash
	if follow {
		which = always
	}
	p, err := f.walk(path, which)
	if err != nil {
		return nil, err
	}
	if p.node == nil {
		return nil, syscall.ENOENT
	}
	if p.slash && !p.node.isDir() {
		return nil, syscall.ENOTDIR
	}
	return p.node, nil
}

// walk finds where path leads; its last element may be missing, everything before it may not.
// Caller holds mu.
func (f *FS) walk(path string, follow links) (place, error) {
	if path == "" {
		return place{}, syscall.ENOENT
	}
	if len(path) >= maxPath {
		return place{}, syscall.ENAMETOOLONG
	}
	if strings.IndexByte(path, 0) >= 0 {
		return place{}, syscall.EINVAL
	}
	depth := 0
	return f.walkFrom(f.cwd, path, follow, &depth)
}

func (f *FS) walkFrom(dir *node, path string, follow links, depth *int) (place, error) {
	if path[0] == '/' {
		dir = f.root
	}
	here := place{dir: dir, name: ".", node: dir}
	for rest := strings.TrimLeft(path, "/"); rest != ""; {
		name, after, more := strings.Cut(rest, "/")
		rest = strings.TrimLeft(after, "/")
		if here.node == nil {
			return place{}, syscall.ENOENT
		}
		if !here.node.isDir() {
			return place{}, syscall.ENOTDIR
		}
		next, err := step(here.node, name)
		if err != nil {
			return place{}, err
		}
		next.slash = more && rest == ""
		last := rest == ""
		if next.node != nil && next.node.isLink() && (!last || follow == always || follow == ifSlash && next.slash) {
			if *depth++; *depth > maxLinks {
				return place{}, syscall.ELOOP
			}
			slash := next.slash
			if next, err = f.walkFrom(here.node, next.node.target, always, depth); err != nil {
				return place{}, err
			}
			next.slash = next.slash || slash
		}
		here = next
	}
	return here, nil
}

// step goes from a directory to its entry name.
func step(dir *node, name string) (place, error) {
	switch {
	case len(name) > maxName:
		return place{}, syscall.ENAMETOOLONG
	case name == ".":
		return place{dir: dir, name: ".", node: dir}, nil
	case name == "..":
		up := dir.parent
		if up == nil { // removed while it is somebody's working directory
			return place{}, syscall.ENOENT
		}
		return place{dir: up, name: ".", node: up}, nil
	}
	return place{dir: dir, name: name, node: dir.entries[name]}, nil
}
