package subpath

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	upstream "k8s.io/kubernetes/pkg/volume/util/subpath"
)

// containerSubpaths is the directory below a pod's directory that holds the
// pins; the name is upstream's.
const containerSubpaths = "volume-subpaths"

// ErrEscapes is returned for a path that leaves the volume it belongs to.
var ErrEscapes = errors.New("path leaves its volume")

// Subpather implements upstream.Interface. The zero value is ready.
type Subpather struct{}

var _ upstream.Interface = Subpather{}

// PrepareSafeSubpath resolves sp.Path, checks that it lies in sp.VolumePath, and
// returns the path to give to the container. There is nothing to do after the
// container's start, so cleanup is nil; CleanSubPaths removes the pins.
func (Subpather) PrepareSafeSubpath(sp upstream.Subpath) (hostPath string, cleanup func(), err error) {
	volume, err := filepath.EvalSymlinks(sp.VolumePath)
	if err != nil {
		return "", nil, fmt.Errorf("resolve volume of subpath: %w", err)
	}
	resolved, err := resolve(sp.Path)
	if err != nil {
		return "", nil, fmt.Errorf("resolve subpath: %w", err)
	}
	if !within(volume, resolved) {
		return "", nil, fmt.Errorf("subpath %q of volume %q: %w", sp.Path, sp.VolumePath, ErrEscapes)
	}
	info, err := os.Lstat(resolved)
	if err != nil {
		return "", nil, fmt.Errorf("look at subpath: %w", err)
	}
	if !info.Mode().IsRegular() {
		return resolved, nil, nil
	}
	pinned, err := pin(resolved, filepath.Join(sp.PodDir, containerSubpaths, sp.VolumeName, sp.ContainerName, strconv.Itoa(sp.VolumeMountIndex)))
	if err != nil {
		return "", nil, fmt.Errorf("pin subpath %q: %w", sp.Path, err)
	}
	return pinned, nil, nil
}

// pin hard-links file at target, replacing the pin of an earlier container. On
// a file system without hard links it returns file itself.
func pin(file, target string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
		return "", err
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Link(file, target); err != nil {
		return file, nil //nolint:nilerr // the file itself is right until its volume is updated
	}
	return target, nil
}

// CleanSubPaths removes all pins of one volume of the pod at podDir, and the
// pins' directory with the last of them.
func (Subpather) CleanSubPaths(podDir, volumeName string) error {
	dir := filepath.Join(podDir, containerSubpaths)
	if err := os.RemoveAll(filepath.Join(dir, volumeName)); err != nil {
		return fmt.Errorf("clean subpaths of volume %s: %w", volumeName, err)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("clean subpaths: %w", err)
	}
	if len(entries) > 0 {
		return nil
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clean subpaths: %w", err)
	}
	return nil
}

// SafeMakeDir makes pathname, a path below base, with its parents and exactly
// the permission bits of perm. Symbolic links on the way are followed only while they
// stay in base.
func (Subpather) SafeMakeDir(pathname, base string, perm os.FileMode) error {
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return fmt.Errorf("resolve base %s: %w", base, err)
	}
	existing, rest, err := split(filepath.Join(base, pathname))
	if err != nil {
		return err
	}
	if !within(realBase, existing) {
		return fmt.Errorf("make %q in %q: %w", pathname, base, ErrEscapes)
	}
	if rest == "" {
		if info, err := os.Stat(existing); err != nil || !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: existing, Err: syscall.ENOTDIR}
		}
		return nil
	}
	rel, err := filepath.Rel(realBase, filepath.Join(existing, rest))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(realBase) // refuses links planted after the check above
	if err != nil {
		return fmt.Errorf("open base: %w", err)
	}
	defer root.Close()
	for dir := range prefixes(rel) {
		switch err := root.Mkdir(dir, perm.Perm()); {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return fmt.Errorf("make %q in %q: %w", pathname, base, err)
		default: // the process's umask does not count
			if err := root.Chmod(dir, perm.Perm()); err != nil {
				return fmt.Errorf("make %q in %q: %w", pathname, base, err)
			}
		}
	}
	return nil
}

// split resolves the longest existing part of path and returns it with what is
// left to be made. A dangling link counts as existing and cannot be resolved.
func split(path string) (existing, rest string, err error) {
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			existing, err := resolve(dir)
			if err != nil {
				return "", "", fmt.Errorf("resolve %s: %w", dir, err)
			}
			return existing, strings.TrimPrefix(strings.TrimPrefix(filepath.Clean(path), dir), "/"), nil
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) { // the latter below a sealed link, too
			return "", "", err
		}
		if dir == filepath.Dir(dir) {
			return "", "", fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
	}
}

// prefixes yields a, a/b, a/b/c for a/b/c.
func prefixes(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == filepath.Separator && !yield(path[:i]) {
				return
			}
		}
		yield(path)
	}
}

func within(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}
