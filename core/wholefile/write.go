package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix is that of the file beside, which a kill can leave behind. The next Write takes it over.
const Suffix = ".next"

// after is told of each step that is done; tests end the process there.
var after = func(step string) {}

// Write puts a file at path, in place of the one that may be there, with exactly these permissions.
// There is one writer of a path at a time.
func Write(path string, data []byte, mode fs.FileMode) error {
	err := write(path+Suffix, data, mode)
	if err == nil {
		err = Rename(path+Suffix, path)
	}
	if err != nil {
		return errors.Join(err, remove(path+Suffix))
	}
	return nil
}

func write(path string, data []byte, mode fs.FileMode) error {
	if err := remove(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	after("made")
	if _, err = f.Write(data); err == nil {
		after("written")
		err = f.Chmod(mode) // whatever the umask is
	}
	if err == nil {
		err = f.Sync()
	}
	after("on disk")
	return errors.Join(err, f.Close())
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Rename gives a file or directory, whose content is on the disk, its name for good. Both names are in
// one directory.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	after("renamed")
	return SyncDir(filepath.Dir(to))
}

// SyncDir puts the names that are in a directory on the disk.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("put %s on disk: %w", dir, err)
	}
	return nil
}
