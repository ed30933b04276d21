package program

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is Linux's limit of symbolic links in one resolution (path_resolution(7)).
const maxLinks = 40

// place is where a path inside leads to.
type place struct {
	name     string // inside, absolute, links followed
	host     string
	readOnly bool
	mounted  bool // is itself a mount point, or the root
}

// prepare makes the mount points, shortest first, and keys them by where they really are.
func (f *FS) prepare() {
	f.once.Do(func() {
		f.table = map[string]Mount{}
		for _, m := range f.mounts {
			at, err := f.mountPoint(m)
			if err != nil {
				at.name = m.Path // reachable by its plain name at least
			}
			f.table[at.name] = m
		}
	})
}

// mountPoint resolves a mount's path, making what is missing of it.
func (f *FS) mountPoint(m Mount) (place, error) {
	at := f.rootPlace()
	elems := strings.Split(strings.Trim(m.Path, "/"), "/")
	for i := range elems {
		next, err := f.walkFromRoot(strings.Join(elems[:i+1], "/"), true)
		if err != nil {
			return at, err
		}
		at = next
		if _, err := os.Lstat(at.host); !errors.Is(err, fs.ErrNotExist) || at.readOnly {
			continue
		}
		if info, err := os.Stat(m.HostPath); err == nil && !info.IsDir() && i == len(elems)-1 {
			_ = os.WriteFile(at.host, nil, 0o644) // a failure shows when it is used
		} else {
			_ = os.Mkdir(at.host, 0o755)
		}
	}
	return at, nil
}

func (f *FS) rootPlace() place {
	if m, ok := f.table["/"]; ok {
		return place{name: "/", host: m.HostPath, readOnly: m.ReadOnly, mounted: true}
	}
	return place{name: "/", host: f.root, mounted: true}
}

// walk resolves name. With follow the last element is followed if it is a symbolic link,
// as for open(2) and stat(2); without, it is not, as for lstat(2), unlink(2) and rename(2).
// All elements but the last must exist.
func (f *FS) walk(name string, follow bool) (place, error) {
	f.prepare()
	return f.walkFromRoot(name, follow)
}

func (f *FS) walkFromRoot(name string, follow bool) (place, error) {
	rest := splitPath(name)
	if strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.") {
		follow = true // POSIX: a trailing slash names the directory behind the link
	}
	stack := []place{f.rootPlace()}
	links := 0
	for len(rest) > 0 {
		elem := rest[0]
		rest = rest[1:]
		at := stack[len(stack)-1]
		if elem == ".." {
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
			continue
		}
		next := f.step(at, elem)
		info, err := os.Lstat(next.host)
		switch {
		case err != nil && special(path.Join(next.name, path.Join(rest...))):
			// There without a /dev or /proc in the root.
			return place{name: path.Join(next.name, path.Join(rest...)), host: next.host}, nil
		case err != nil && (len(rest) > 0 || !errors.Is(err, fs.ErrNotExist)):
			return place{}, errno(err)
		case err == nil && info.Mode()&fs.ModeSymlink != 0 && !next.mounted && (follow || len(rest) > 0):
			if links++; links > maxLinks {
				return place{}, syscall.ELOOP
			}
			target, err := os.Readlink(next.host)
			if err != nil {
				return place{}, errno(err)
			}
			if strings.HasPrefix(target, "/") {
				stack = stack[:1]
			}
			rest = append(splitPath(target), rest...)
			continue
		case err == nil && len(rest) > 0 && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0:
			return place{}, syscall.ENOTDIR
		}
		stack = append(stack, next)
	}
	return stack[len(stack)-1], nil
}

// step goes down by one element, into a mount if one is there.
func (f *FS) step(at place, elem string) place {
	name := path.Join(at.name, elem)
	if m, ok := f.table[name]; ok {
		return place{name: name, host: m.HostPath, readOnly: m.ReadOnly, mounted: true}
	}
	return place{name: name, host: filepath.Join(at.host, elem), readOnly: at.readOnly}
}

// splitPath gives the elements without empty ones and dots; ".." stays, because what it means
// depends on the links before it.
func splitPath(name string) []string {
	var elems []string
	for elem := range strings.SplitSeq(name, "/") {
		if elem != "" && elem != "." {
			elems = append(elems, elem)
		}
	}
	return elems
}

// errno strips the operating system's path from an error.
func errno(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// pathError is err about the path inside; nil stays nil.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: errno(err)}
}
