package overlay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Table is every file that the wasm build sees differently.
func Table() []Entry { return slices.Concat(goroot, vendored, onLinux, costly, traced) }

// Dirs is where the parts of a build lie.
type Dirs struct {
	// Root of the repository.
	Root string
	// GOROOT of the toolchain that will compile.
	GOROOT string
	// Out is where vendor/, patched/ and overlay.json are; usually Root/out/wasm.
	Out string
}

// DirsAt gives the usual places for the repository at root.
func DirsAt(root, goroot string) Dirs {
	return Dirs{Root: root, GOROOT: goroot, Out: filepath.Join(root, "out", "wasm")}
}

// JSON is the file to give to go build -overlay.
func (d Dirs) JSON() string { return filepath.Join(d.Out, "overlay.json") }

// WorkFile is the value of GOWORK under which the vendored dependencies are used.
func (d Dirs) WorkFile() string { return filepath.Join(d.Out, "go.work") }

// real is the path on disk of an Entry's path.
func (d Dirs) real(path string) string {
	if rest, ok := strings.CutPrefix(path, gorootRoot); ok {
		return filepath.Join(d.GOROOT, rest)
	}
	return filepath.Join(d.Out, path)
}

// Generate checks every entry against upstream and writes the patched copies and the overlay
// file. It returns all that is wrong, not only the first. A file whose content stays the same
// is not written again, so that Go's build cache holds.
func Generate(d Dirs, table []Entry) error {
	replace := map[string]string{}
	var errs []error
	for _, e := range table {
		if _, twice := replace[d.real(e.Path)]; twice {
			errs = append(errs, fmt.Errorf("overlay %s: there are two entries for it\nwhat to do: put their edits into one", e.Path))
			continue
		}
		source, err := generate(d, e)
		if err != nil {
			errs = append(errs, fmt.Errorf("overlay %s: %w", e.Path, err))
			continue
		}
		replace[d.real(e.Path)] = source
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	b, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return fmt.Errorf("overlay: encode: %w", err)
	}
	return writeIfChanged(d.JSON(), append(b, '\n'))
}

// generate returns the file that stands in for e.Path.
func generate(d Dirs, e Entry) (string, error) {
	upstream, err := os.ReadFile(d.real(e.upstream()))
	if err != nil {
		return "", fmt.Errorf("read upstream's file: %w\nwhat to do: find where upstream moved it, and correct the entry in wasm/overlay", err)
	}
	if err := checkHash(e, upstream); err != nil {
		return "", err
	}
	if e.isNew() {
		if _, err := os.Stat(d.real(e.Path)); err == nil {
			return "", errors.New("upstream has this file now\nwhat to do: read it, and drop or rename the entry in wasm/overlay")
		}
	}
	if e.Added {
		ours := filepath.Join(d.Root, "wasm", "overlay", "_files", e.Path)
		if _, err := os.Stat(ours); err != nil {
			return "", fmt.Errorf("find our file: %w", err)
		}
		return ours, nil
	}
	patched, err := edit(upstream, e.Edits)
	if err != nil {
		return "", fmt.Errorf("%s: %w", e.upstream(), err)
	}
	out := filepath.Join(d.Out, "patched", e.Path)
	return out, writeIfChanged(out, patched)
}

// HashError says that upstream's file is not one that the entry was made against.
type HashError struct {
	File     string
	Expected []string
	Found    string
}

func (e *HashError) Error() string {
	return fmt.Sprintf("%s has changed\nexpected sha256 %s\nfound    sha256 %s\n"+
		"what to do: read what changed in it, see that the entry is still right, and put the new hash there "+
		"(go run ./wasm/overlay/gen -accept %s)",
		e.File, strings.Join(e.Expected, " or "), e.Found, e.File)
}

func checkHash(e Entry, content []byte) error {
	if found := Hash(content); !slices.Contains(e.SHA256, found) {
		return &HashError{File: e.upstream(), Expected: e.SHA256, Found: found}
	}
	return nil
}

// Hash is the hexadecimal SHA-256 of content.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func edit(content []byte, edits []Edit) ([]byte, error) {
	for _, ed := range edits {
		if n := bytes.Count(content, []byte(ed.Old)); n != 1 {
			return nil, fmt.Errorf("found %d times, must be once: %q", n, ed.Old)
		}
		content = bytes.Replace(content, []byte(ed.Old), []byte(ed.New), 1)
	}
	return content, nil
}

func writeIfChanged(name string, content []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.WriteFile(name, content, 0o644)
}
