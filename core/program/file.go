package program

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"sync/atomic"
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
	_ File = (*madeFile)(nil)
)

// madeFile is a file that was made when it was opened (Mount.Contents). Nothing can be written to it.
type madeFile struct {
	*bytes.Reader
	name string
	info fs.FileInfo
}

func (f *madeFile) Name() string               { return f.name }
func (f *madeFile) Close() error               { return nil }
func (f *madeFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *madeFile) Write([]byte) (int, error)  { return 0, pathError("write", f.name, syscall.EROFS) }

// hostFile hides what package os would do without asking the disk (copy_file_range(2)).
type hostFile struct {
	file   *os.File
	fs     *FS
	name   string
	host   string // the operating system's path
	closed atomic.Bool
}

func (f *hostFile) Name() string               { return f.name }
func (f *hostFile) Read(p []byte) (int, error) { return f.file.Read(p) }
func (f *hostFile) Stat() (fs.FileInfo, error) {
	info, err := f.file.Stat()
	if err != nil {
		return nil, err
	}
	return f.fs.described(f.host, path.Base(f.name), info), nil
}
func (f *hostFile) Seek(offset int64, whence int) (int64, error) {
	return f.file.Seek(offset, whence)
}

func (f *hostFile) Write(p []byte) (int, error) {
	if err := f.fs.reserve(int64(len(p)), 0); err != nil {
		return 0, pathError("write", f.name, err)
	}
	n, err := f.file.Write(p)
	return n, pathError("write", f.name, err)
}

func (f *hostFile) Close() error {
	if f.closed.CompareAndSwap(false, true) {
		f.fs.cgroup.closeFile()
	}
	return f.file.Close()
}

// Open opens name for reading.
func (f *FS) Open(name string) (File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

// Create makes or truncates name for reading and writing, with mode 0666.
func (f *FS) Create(name string) (File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile is os.OpenFile for a path inside. Writing on a read-only mount is EROFS.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	file, err := f.open(name, flag, perm)
	return file, pathError("open", name, err)
}

func (f *FS) open(name string, flag int, perm fs.FileMode) (File, error) {
	defer f.begin()()
	at, err := f.walk(name, flag&(os.O_CREATE|os.O_EXCL) != os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if dev, ok := devices[at.name]; ok {
		return &device{name: name, kind: dev}, nil
	}
	info, err := at.stat()
	if err == nil {
		if err := f.may(at, asked(flag)); err != nil {
			return nil, err
		}
	}
	makes := err != nil && flag&os.O_CREATE != 0
	var dir Attributes
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0 {
		switch {
		case err == nil && info.IsDir():
			return nil, syscall.EISDIR
		case at.readOnly && (err != nil || flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0):
			return nil, syscall.EROFS
		case makes:
			if dir, err = f.mayMake(at); err != nil {
				return nil, err
			}
			if err := f.makeEntry(); err != nil {
				return nil, err
			}
		}
	}
	if at.on.Contents != nil && err == nil && !info.IsDir() {
		if data, ok := at.on.Contents(at.rel); ok {
			return &madeFile{Reader: bytes.NewReader(data), name: name, info: f.described(at.host(), path.Base(name), info)}, nil
		}
	}
	if err := f.cgroup.openFile(); err != nil {
		return nil, err
	}
	opened := &hostFile{fs: f, name: name, host: at.host()}
	err = at.do(func(t tree, rel string) (err error) {
		opened.file, err = t.open(rel, flag, openMode(perm))
		return err
	})
	if err != nil {
		f.cgroup.closeFile()
		return nil, err
	}
	if makes {
		if info, err := opened.file.Stat(); err == nil {
			f.made(at, info, perm, dir)
		}
	}
	return opened, nil
}

// asked is what an open file is to be open for.
func asked(flag int) fs.FileMode {
	switch {
	case flag&os.O_RDWR != 0:
		return mayRead | mayWrite
	case flag&os.O_WRONLY != 0:
		return mayWrite
	case flag&os.O_TRUNC != 0:
		return mayRead | mayWrite
	}
	return mayRead
}

// maxWhole is how long a file may be to be read whole, in bytes.
const maxWhole = 16 << 20

// ReadFile reads the whole file. A file that is longer than maxWhole is not read: it may be a device
// that does not end, under whatever name.
func (f *FS) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		return nil, pathError("read", name, syscall.EFBIG)
	}
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
