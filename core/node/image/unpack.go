package image

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// Unpack makes the image's files in the directory root of the operating system, which exists
// and is empty.
func (r *Resolved) Unpack(root string) error {
	return r.unpack(root, func(string) bool { return true })
}

// UnpackOwn is Unpack without what lies below Image.Shared.
func (r *Resolved) UnpackOwn(root string) error {
	return r.unpack(root, func(name string) bool { return !r.shares(name) })
}

// UnpackShared is Unpack of what lies below Image.Shared alone.
func (r *Resolved) UnpackShared(root string) error { return r.unpack(root, r.shares) }

func (r *Resolved) shares(name string) bool {
	return slices.ContainsFunc(r.Shared, func(dir string) bool { return strings.HasPrefix(name, dir+"/") })
}

func (r *Resolved) unpack(root string, wanted func(name string) bool) error {
	made := map[string]bool{"/": true}
	mkdir := func(dir string) error {
		var missing []string
		for ; !made[dir]; dir = path.Dir(dir) {
			made[dir] = true
			missing = append(missing, dir)
		}
		for _, dir := range slices.Backward(missing) {
			if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil && !os.IsExist(err) {
				return err
			}
		}
		return nil
	}
	put := func(name string, f File) error {
		name = path.Clean("/" + name)
		host := filepath.Join(root, name)
		if f.Mode.IsDir() {
			if err := mkdir(name); err != nil {
				return err
			}
			if perm := f.Mode.Perm(); perm != 0 && perm != 0o755 {
				return os.Chmod(host, perm|f.Mode&fs.ModeSticky)
			}
			return nil
		}
		if err := mkdir(path.Dir(name)); err != nil {
			return err
		}
		if f.Link != "" {
			return os.Symlink(program.SealLink(f.Link), host)
		}
		perm := f.Mode.Perm()
		if perm == 0 {
			perm = 0o644
		}
		return os.WriteFile(host, f.Data, perm)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		if !wanted(name) {
			continue
		}
		if err := put(name, r.Files[name]); err != nil {
			return fmt.Errorf("unpack image %s: %w", r.Ref, err)
		}
	}
	for name := range r.Programs {
		if !wanted(name) {
			continue
		}
		f := File{Data: Marker{Image: r.Ref.Name, Path: name}.Bytes(), Mode: 0o755}
		if err := put(name, f); err != nil {
			return fmt.Errorf("unpack image %s: %w", r.Ref, err)
		}
	}
	return nil
}

// Marker is the content of the file that stands for a program: which image brings it, and
// under which path. A copy of the file therefore is the same program, in any container.
type Marker struct{ Image, Path string }

const markerMagic = "#!tabernetes-program "

// MarkerSize is a number of bytes that holds every marker.
const MarkerSize = 4096

// Bytes is the file's content.
func (m Marker) Bytes() []byte {
	return []byte(markerMagic + m.Image + " " + m.Path + "\n")
}

// ParseMarker reads a file's content, or its beginning.
func ParseMarker(data []byte) (Marker, bool) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	rest, ok := strings.CutPrefix(string(line), markerMagic)
	if !ok {
		return Marker{}, false
	}
	img, name, ok := strings.Cut(rest, " ")
	return Marker{Image: img, Path: name}, ok
}
