package persist

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

var (
	_ Sink = (*dir)(nil)
	_ File = osFile{}
)

// lockName is the file by which a directory is locked. It stays.
const lockName = "lock"

// dir is a directory as a Sink.
type dir struct {
	path string
	lock *os.File
}

// OpenDir returns the directory as a Sink, and makes it if it does not exist. It
// fails if another process, or another Sink of this one, has it.
func OpenDir(path string) (Sink, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the store's directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the store's directory: %w", err)
	}
	if err := lockFile(lock); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("the store in %s is in use by another process; end that one first: %w", path, err)
	}
	return &dir{path, lock}, nil
}

// Files implements Sink.
func (d *dir) Files() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && e.Name() != lockName {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Open implements Sink.
func (d *dir) Open(name string) (File, error) {
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Remove implements Sink.
func (d *dir) Remove(name string) error { return os.Remove(filepath.Join(d.path, name)) }

// Sync implements Sink.
func (d *dir) Sync() error {
	f, err := os.Open(d.path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Close implements Sink. The lock goes with the file.
func (d *dir) Close() error { return d.lock.Close() }

type osFile struct{ *os.File }

// Size implements File.
func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
