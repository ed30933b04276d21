package diff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Side is one of the two that are compared.
type Side struct {
	// Name is how it is called in the output: what was typed.
	Name string
	// FS holds what Path names: a file, or a directory.
	FS   fs.FS
	Path string
}

func (s Side) join(name string) Side {
	return Side{Name: strings.TrimSuffix(s.Name, "/") + "/" + name, FS: s.FS, Path: path.Join(s.Path, name)}
}

// Trees compares two directories, those below them too, and writes how their files differ; a
// file that only one of them has is compared with an empty one.
func Trees(l Limits, w io.Writer, from, to Side) (differ bool, err error) {
	names, err := names(from, to)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		a, b := from.join(name), to.join(name)
		compare := Files
		if isDir(a) || isDir(b) {
			compare = Trees
		}
		differs, err := compare(l, w, a, b)
		if err != nil {
			return differ, err
		}
		if differs {
			differ = true
		}
	}
	return differ, nil
}

func names(sides ...Side) ([]string, error) {
	var all []string
	for _, s := range sides {
		entries, err := fs.ReadDir(s.FS, s.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", s.Name, err)
		}
		for _, e := range entries {
			all = append(all, e.Name())
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func isDir(s Side) bool {
	info, err := fs.Stat(s.FS, s.Path)
	return err == nil && info.IsDir()
}

// Files compares two files; one that does not exist counts as empty.
func Files(l Limits, w io.Writer, from, to Side) (differ bool, err error) {
	a, err := read(from)
	if err != nil {
		return false, err
	}
	b, err := read(to)
	if err != nil {
		return false, err
	}
	if bytes.Equal(a, b) {
		return false, nil
	}
	if bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0 {
		_, err := fmt.Fprintf(w, "Binary files %s and %s differ\n", from.Name, to.Name)
		return true, err
	}
	if _, err := fmt.Fprintf(w, "diff -u -N %s %s\n", from.Name, to.Name); err != nil {
		return true, err
	}
	return true, Unified(l, w, from.Name, to.Name, a, b)
}

func read(s Side) ([]byte, error) {
	b, err := fs.ReadFile(s.FS, s.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", s.Name, err)
	}
	return b, nil
}
