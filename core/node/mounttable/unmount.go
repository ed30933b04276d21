package mounttable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Unmount undoes Mount: a tmpfs loses its contents and stays as an empty
// directory, a bind becomes an empty directory again while its source keeps
// everything.
func (t *Table) Unmount(target string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	target = filepath.Clean(target)
	i := t.index(target)
	if i < 0 {
		return fmt.Errorf("unmount %s: not mounted", target)
	}
	if err := clearMount(target); err != nil {
		return fmt.Errorf("unmount %s: %w", target, err)
	}
	t.points = slices.Delete(t.points, i, i+1)
	return nil
}

// UnmountWithForce is Unmount: nothing can keep a mount of the table busy.
func (t *Table) UnmountWithForce(target string, _ time.Duration) error { return t.Unmount(target) }

// clearMount leaves target as an empty directory, following no symbolic link.
func clearMount(target string) error {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		source, statErr := os.Stat(target)
		if err := os.Remove(target); err != nil {
			return err
		}
		if statErr == nil && !source.IsDir() {
			return os.WriteFile(target, nil, 0o644)
		}
		return os.Mkdir(target, 0o755)
	}
	entries, err := os.ReadDir(target)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(target, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
