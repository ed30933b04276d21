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

	"github.com/pmezard/go-difflib/difflib"
)

// contextLines is how many equal lines stand around each difference, as diff -u has it.
const contextLines = 3

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
func Trees(w io.Writer, from, to Side) (differ bool, err error) {
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
		differs, err := compare(w, a, b)
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
func Files(w io.Writer, from, to Side) (differ bool, err error) {
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
	return true, Unified(w, from.Name, to.Name, a, b)
}

func read(s Side) ([]byte, error) {
	b, err := fs.ReadFile(s.FS, s.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", s.Name, err)
	}
	return b, nil
}

// Unified writes how b differs from a, in unified format; nothing if they are equal.
func Unified(w io.Writer, nameA, nameB string, a, b []byte) error {
	return difflib.WriteUnifiedDiff(w, difflib.UnifiedDiff{
		A: lines(a), B: lines(b), FromFile: nameA, ToFile: nameB, Context: contextLines,
	})
}

// lines keeps the line ends, and says where the last one is missing.
func lines(b []byte) []string {
	all := strings.SplitAfter(string(b), "\n")
	last := len(all) - 1
	if all[last] == "" {
		return all[:last]
	}
	all[last] += "\n\\ No newline at end of file\n"
	return all
}
