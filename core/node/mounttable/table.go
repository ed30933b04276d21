package mounttable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/mount-utils"
)

// ErrUnsupported is returned for file systems that need a kernel.
var ErrUnsupported = errors.New("file system type not supported on an in-tab node")

// Table implements mount.Interface. It may be used from any goroutine.
type Table struct {
	root string

	mu     sync.Mutex
	points []mount.MountPoint // in the order mounted, one per path
}

var (
	_ mount.Interface             = (*Table)(nil)
	_ mount.MounterForceUnmounter = (*Table)(nil)
)

// New makes an empty table for mounts below root, an absolute directory.
func New(root string) *Table { return &Table{root: filepath.Clean(root)} }

// Mount mounts source at target. Both must lie below the root. A
// second tmpfs mount at the same target is a no-op: the first still holds.
func (t *Table) Mount(source, target, fstype string, options []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	target = filepath.Clean(target)
	if !within(t.root, target) {
		return fmt.Errorf("mount %s: outside of the node's root %s", target, t.root)
	}
	t.dropStale()
	i := t.index(target)
	switch {
	case slices.Contains(options, "remount"):
		if i < 0 {
			return fmt.Errorf("remount %s: not mounted", target)
		}
		t.points[i].Opts = slices.Clone(options)
		return nil
	case slices.Contains(options, "bind"), slices.Contains(options, "rbind"):
		if i >= 0 {
			return fmt.Errorf("bind %s at %s: already a mount point", source, target)
		}
		if err := t.bind(source, target); err != nil {
			return err
		}
	case fstype == "tmpfs":
		if i >= 0 {
			return nil
		}
		if info, err := os.Stat(target); err != nil {
			return fmt.Errorf("mount tmpfs: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("mount tmpfs at %s: not a directory", target)
		}
		if err := empty(target); err != nil {
			return fmt.Errorf("mount tmpfs at %s: %w", target, err)
		}
	default:
		return fmt.Errorf("mount %s (%s) at %s: %w", source, fstype, target, ErrUnsupported)
	}
	t.points = append(t.points, mount.MountPoint{Device: source, Path: target, Type: fstype, Opts: slices.Clone(options)})
	return nil
}

// empty takes away what lies in a directory: of a tmpfs that there was when the node lost power, which on
// another machine would have been in memory.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if err == nil {
			err = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
	return err
}

// bind makes target show source, which must lie below the root with all links followed. target
// must be an empty directory, or an empty file if source is a file.
func (t *Table) bind(source, target string) error {
	root, err := filepath.EvalSymlinks(t.root)
	if err != nil {
		return fmt.Errorf("bind %s at %s: %w", source, target, err)
	}
	if real, err := filepath.EvalSymlinks(source); err != nil {
		return fmt.Errorf("bind %s at %s: %w", source, target, err)
	} else if !within(root, real) {
		return fmt.Errorf("bind %s at %s: outside of the node's root %s", source, target, t.root)
	}
	if info, err := os.Lstat(target); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		return fmt.Errorf("bind %s at %s: target holds data", source, target)
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("bind %s at %s: %w", source, target, err)
	}
	if err := os.Symlink(source, target); err != nil {
		return fmt.Errorf("bind %s at %s: %w", source, target, err)
	}
	return nil
}

// MountSensitive is Mount; sensitive options change nothing here and are not kept.
func (t *Table) MountSensitive(source, target, fstype string, options, _ []string) error {
	return t.Mount(source, target, fstype, options)
}

// MountSensitiveWithoutSystemd is MountSensitive: there is no systemd.
func (t *Table) MountSensitiveWithoutSystemd(source, target, fstype string, options, _ []string) error {
	return t.Mount(source, target, fstype, options)
}

// MountSensitiveWithoutSystemdWithMountFlags is MountSensitive: there is no
// mount command that could take the flags.
func (t *Table) MountSensitiveWithoutSystemdWithMountFlags(source, target, fstype string, options, _, _ []string) error {
	return t.Mount(source, target, fstype, options)
}

// Kind is the kind of the file system that path is on, as in Mount; "" if nothing is mounted there
// or above it. A bind has none of its own.
func (t *Table) Kind(path string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kind, deepest := "", -1
	for _, p := range t.points {
		if within(p.Path, path) && len(p.Path) > deepest {
			kind, deepest = p.Type, len(p.Path)
		}
	}
	return kind
}

// List returns a copy of all mount points, oldest first.
func (t *Table) List() ([]mount.MountPoint, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropStale()
	out := slices.Clone(t.points)
	for i := range out {
		out[i].Opts = slices.Clone(out[i].Opts)
	}
	return out, nil
}

// IsMountPoint reports whether file is mounted; fs.ErrNotExist if it is absent.
func (t *Table) IsMountPoint(file string) (bool, error) {
	if _, err := os.Lstat(file); err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.index(filepath.Clean(file)) >= 0, nil
}

// IsLikelyNotMountPoint is the exact opposite of IsMountPoint: the table has no
// bind mounts that a heuristic could miss.
func (t *Table) IsLikelyNotMountPoint(file string) (bool, error) {
	is, err := t.IsMountPoint(file)
	return !is, err
}

// CanSafelySkipMountPointCheck is false: Unmount of a plain directory is an error.
func (t *Table) CanSafelySkipMountPointCheck() bool { return false }

// GetMountRefs returns the other paths at which the tree at pathname is
// mounted. A tmpfs has none: each is a tree of its own.
func (t *Table) GetMountRefs(pathname string) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropStale()
	pathname = filepath.Clean(pathname)
	origin := pathname
	if i := t.index(pathname); i >= 0 && t.points[i].Type != "tmpfs" {
		origin = t.points[i].Device
	}
	refs := []string{}
	for _, p := range t.points {
		if p.Type != "tmpfs" && p.Path != pathname && filepath.Clean(p.Device) == origin {
			refs = append(refs, p.Path)
		}
	}
	if origin != pathname {
		refs = append(refs, origin)
	}
	return refs, nil
}

// dropStale forgets mount points whose path is gone. Upstream's teardown of a
// memory-backed emptyDir asks statfs whether to unmount; where statfs does not
// know (js, or a temporary directory on disk) it removes the directory instead.
// Caller must hold mu.
func (t *Table) dropStale() {
	t.points = slices.DeleteFunc(t.points, func(p mount.MountPoint) bool {
		_, err := os.Lstat(p.Path)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// index finds the mount point with exactly this path, or -1. Caller must hold mu.
func (t *Table) index(path string) int {
	return slices.IndexFunc(t.points, func(p mount.MountPoint) bool { return p.Path == path })
}

func within(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}
