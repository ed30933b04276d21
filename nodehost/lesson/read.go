package lesson

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read reads the lesson of a folder, and looks for the files that it names. Errors about what it holds are
// Problems, joined.
func Read(dir string) (*Lesson, error) {
	root, err := os.OpenRoot(dir) // a link out of the folder is no file of the lesson
	if err != nil {
		return nil, fmt.Errorf("open the lesson's folder: %w", err)
	}
	defer root.Close()
	raw, err := readFile(root.FS(), Name, MaxFile+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: make one with `nodehost lesson new %s`", dir, Name, dir)
	} else if err != nil {
		return nil, fmt.Errorf("read the lesson: %w", err)
	}
	l, problems := Parse(raw)
	l.File = Name
	for _, name := range l.Manifests {
		if _, err := readFile(root.FS(), name, MaxFile); err != nil {
			problems.add(1, "read the manifest: %v", err)
		}
	}
	for _, name := range l.Images {
		if _, err := readFile(root.FS(), name, MaxImage); err != nil {
			problems.add(0, "read the image: %v", err)
		}
	}
	return l, problems.in(dir)
}

// readFile reads a file of at most so many bytes.
func readFile(from fs.FS, name string, most int64) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return raw, err
}

// File is a file that a lesson of a folder names.
func File(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the lesson's folder: %w", err)
	}
	defer root.Close()
	raw, err := readFile(root.FS(), name, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("read a file of the lesson: %w", err)
	}
	return raw, nil
}
