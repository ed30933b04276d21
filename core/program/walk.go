package program

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// maxLinks is Linux's limit of symbolic links in one resolution (path_resolution(7)).
const maxLinks = 40

// maxPath is Linux's limit of a path (PATH_MAX); maxDepth is ours, of directories in one
// another: each is opened from the top.
const (
	maxPath  = 4096
	maxDepth = 256
)

// place is where a path inside leads to.
type place struct {
	name     string // inside, absolute, links followed
	on       *mounted
	rel      string // below what is mounted; "." for itself
	readOnly bool
	mounted  bool // is itself a mount point, or the root
}

// host is the operating system's path, for those who hand it on.
func (p place) host() string { return filepath.Join(p.on.HostPath, p.rel) }

func (p place) peek() (fs.FileInfo, error) {
	t, err := p.on.tree()
	if err != nil {
		return nil, err
	}
	return t.peek(p.rel)
}

func (p place) stat() (fs.FileInfo, error) {
	t, err := p.on.tree()
	if err != nil {
		return nil, err
	}
	return t.stat(p.rel)
}

// do calls with the tree that the place is in, and the path there.
func (p place) do(call func(t tree, rel string) error) error {
	t, err := p.on.tree()
	if err != nil {
		return err
	}
	return call(t, p.rel)
}

// mounted is a mount and its tree, which is opened when somebody comes to it.
type mounted struct {
	Mount
	seal func(target string) string

	mu     sync.Mutex
	opened tree
}

func (m *mounted) tree() (tree, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.opened != nil {
		return m.opened, m.opened.check()
	}
	t, err := newTree(m.HostPath, m.Within, m.seal)
	if err == nil {
		m.opened = t
	}
	return t, err
}

// begin is the first call of all that resolve a path; the returned function is the last.
func (f *FS) begin() (end func()) {
	if openat {
		f.prepare()
		return func() {}
	}
	oneByOne.Lock()
	f.prepare()
	return oneByOne.Unlock
}

// prepare makes the mount points, shortest first, and keys them by where they really are.
func (f *FS) prepare() {
	f.once.Do(func() {
		f := f.As(Credentials{}) // mount points are the runtime's, whoever comes first
		f.table = map[string]*mounted{}
		seal := SealLink
		if f.plain {
			seal = func(target string) string { return target }
		}
		f.top = &mounted{Mount: Mount{Path: "/", HostPath: f.root}, seal: seal}
		for _, m := range f.mounts {
			made := &mounted{Mount: m, seal: seal}
			_, _ = made.tree() // now: what its name leads to may change; a failure shows at its use
			at, err := f.mountPoint(m)
			if err != nil {
				at.name = m.Path // reachable by its plain name at least
			}
			f.table[at.name] = made
		}
	})
}

// mountPoint resolves a mount's path, making what is missing of it.
func (f *FS) mountPoint(m Mount) (place, error) {
	at := f.rootPlace()
	elems := strings.Split(strings.Trim(m.Path, "/"), "/")
	for i := range elems {
		next, err := f.walk(strings.Join(elems[:i+1], "/"), true)
		if err != nil {
			return at, err
		}
		at = next
		if _, err := at.stat(); !errors.Is(err, fs.ErrNotExist) || at.readOnly {
			continue
		}
		info, err := os.Stat(m.HostPath)
		isFile := err == nil && !info.IsDir() && i == len(elems)-1
		_ = at.do(func(t tree, rel string) error { // a failure shows when it is used
			if !isFile {
				return t.mkdir(rel, 0o755)
			}
			file, err := t.open(rel, os.O_WRONLY|os.O_CREATE, 0o644)
			if err == nil {
				err = file.Close()
			}
			return err
		})
	}
	return at, nil
}

func (f *FS) rootPlace() place {
	on, readOnly := f.top, false
	if m, ok := f.table["/"]; ok {
		on, readOnly = m, m.ReadOnly
	}
	return place{name: "/", on: on, rel: ".", readOnly: readOnly, mounted: true}
}

// walk resolves name. With follow the last element is followed if it is a symbolic link,
// as for open(2) and stat(2); without, it is not, as for lstat(2), unlink(2) and rename(2).
// All elements but the last must exist. The caller has called begin.
func (f *FS) walk(name string, follow bool) (place, error) {
	if name == "" { // POSIX: it names nothing, and not the working directory or the root
		return place{}, syscall.ENOENT
	}
	rest := splitPath(name)
	if len(name) >= maxPath || len(rest) > maxDepth {
		return place{}, syscall.ENAMETOOLONG
	}
	if strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.") {
		follow = true // POSIX: a trailing slash names the directory behind the link
	}
	stack := []place{f.rootPlace()}
	links := 0
	for len(rest) > 0 {
		elem := rest[0]
		rest = rest[1:]
		at := stack[len(stack)-1]
		if !f.user.Root() {
			if err := f.may(at, mayExec); err != nil {
				return place{}, errno(err)
			}
		}
		if elem == ".." {
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
			continue
		}
		next := f.step(at, elem)
		info, err := next.peek()
		switch {
		case err != nil && special(path.Join(next.name, path.Join(rest...))):
			// There without a /dev or /proc in the root.
			return place{name: path.Join(next.name, path.Join(rest...)), on: next.on, rel: next.rel}, nil
		case err != nil && (len(rest) > 0 || !errors.Is(err, fs.ErrNotExist)):
			return place{}, errno(err)
		case err == nil && info.Mode()&fs.ModeSymlink != 0 && !next.mounted && (follow || len(rest) > 0):
			if links++; links > maxLinks {
				return place{}, syscall.ELOOP
			}
			var target string
			err := next.do(func(t tree, rel string) (err error) {
				target, err = t.readlink(rel)
				return err
			})
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
		if stack = append(stack, next); len(stack) > maxDepth+1 {
			return place{}, syscall.ENAMETOOLONG
		}
	}
	return stack[len(stack)-1], nil
}

// step goes down by one element, into a mount if one is there.
func (f *FS) step(at place, elem string) place {
	name := path.Join(at.name, elem)
	if m, ok := f.table[name]; ok {
		return place{name: name, on: m, rel: ".", readOnly: m.ReadOnly, mounted: true}
	}
	return place{name: name, on: at.on, rel: path.Join(at.rel, elem), readOnly: at.readOnly}
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
