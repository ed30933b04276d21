package memfs

import (
	"encoding/binary"
	"io"
	"io/fs"
	"path"
	"testing"
	"testing/fstest"
	"time"
)

// ioFS shows an FS to package io/fs, so that fstest.TestFS can judge it.
type ioFS struct{ *FS }

func (f ioFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	fd, err := f.FS.Open("/"+name, O_RDONLY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &ioFile{fs: f.FS, fd: fd, name: name}, nil
}

func (f ioFS) ReadLink(name string) (string, error) { return f.Readlink("/" + name) }

func (f ioFS) Lstat(name string) (fs.FileInfo, error) {
	st, err := f.FS.Stat("/"+name, false)
	return info{path.Base(name), st}, err
}

type ioFile struct {
	fs   *FS
	fd   int
	name string
	// names were read from the directory, and not returned yet.
	names []string
}

func (f *ioFile) Close() error { return f.fs.Close(f.fd) }

func (f *ioFile) Read(b []byte) (int, error) {
	n, err := f.fs.Read(f.fd, b)
	if n == 0 && err == nil && len(b) > 0 {
		err = io.EOF
	}
	return n, err
}

func (f *ioFile) Seek(offset int64, whence int) (int64, error) {
	return f.fs.Seek(f.fd, offset, whence)
}

func (f *ioFile) Stat() (fs.FileInfo, error) {
	st, err := f.fs.Fstat(f.fd)
	return info{path.Base(f.name), st}, err
}

func (f *ioFile) ReadDir(n int) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for n <= 0 || len(out) < n {
		if len(f.names) == 0 {
			b := make([]byte, 64)
			got, err := f.fs.ReadDirent(f.fd, b)
			if err != nil {
				return out, err
			}
			if got == 0 {
				break
			}
			for b = b[:got]; len(b) > 0; b = b[binary.LittleEndian.Uint16(b):] {
				f.names = append(f.names, string(b[2:binary.LittleEndian.Uint16(b)]))
			}
		}
		name := f.names[0]
		f.names = f.names[1:]
		st, err := f.fs.Stat("/"+path.Join(f.name, name), false)
		if err != nil {
			return out, err
		}
		out = append(out, fs.FileInfoToDirEntry(info{name, st}))
	}
	if n > 0 && len(out) == 0 {
		return nil, io.EOF
	}
	return out, nil
}

type info struct {
	name string
	st   Stat
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.st.Size }
func (i info) ModTime() time.Time { return i.st.Mtime }
func (i info) IsDir() bool        { return i.Mode().IsDir() }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	m := fs.FileMode(i.st.Mode & 0o777)
	switch i.st.Mode & typeMask {
	case typeDir:
		m |= fs.ModeDir
	case typeLink:
		m |= fs.ModeSymlink
	case typeChar:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	return m
}

func TestAsIOFS(t *testing.T) {
	f := New()
	for _, dir := range []string{"/a", "/a/b", "/empty"} {
		must(t, f.Mkdir(dir, 0o755))
	}
	for name, text := range map[string]string{"/one": "1", "/a/two": "two", "/a/b/three": string(make([]byte, 3*pageSize+17)), "/nothing": ""} {
		must(t, f.WriteFile(name, []byte(text), 0o644))
	}
	must(t, f.Symlink("b/three", "/a/link"))
	if err := fstest.TestFS(ioFS{f}, "one", "a/two", "a/b/three", "nothing", "a/link", "empty"); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
