package program

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// File is an open file of an FS: one of the operating system, or a device of it.
type File interface {
	io.ReadWriteCloser
	io.Seeker
	// Name is the path inside by which the file was opened.
	Name() string
	Stat() (fs.FileInfo, error)
}

var (
	_ File = (*hostFile)(nil)
	_ File = (*device)(nil)
)

type hostFile struct {
	*os.File
	name string
}

func (f *hostFile) Name() string { return f.name }

// Open opens name for reading.
func (f *FS) Open(name string) (File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

// Create makes or truncates name for reading and writing, with mode 0666.
func (f *FS) Create(name string) (File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile is os.OpenFile for a path inside. Writing on a read-only mount is EROFS.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	at, err := f.walk(name, flag&(os.O_CREATE|os.O_EXCL) != os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if dev, ok := devices[at.name]; ok {
		return &device{name: name, kind: dev}, nil
	}
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0 {
		if info, err := os.Stat(at.host); err == nil && info.IsDir() {
			return nil, pathError("open", name, syscall.EISDIR)
		} else if at.readOnly && (err != nil || flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0) {
			return nil, pathError("open", name, syscall.EROFS)
		}
	}
	file, err := os.OpenFile(at.host, flag, perm)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &hostFile{File: file, name: name}, nil
}

// ReadFile reads the whole file.
func (f *FS) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	return data, pathError("read", name, err)
}

// WriteFile makes or truncates the file with data as its content.
func (f *FS) WriteFile(name string, data []byte, perm fs.FileMode) error {
	file, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err2 := file.Close(); err == nil {
		err = err2
	}
	return pathError("write", name, err)
}
