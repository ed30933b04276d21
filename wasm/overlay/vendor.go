package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Vendor copies the dependencies to d.Out/vendor when go.mod or go.sum changed since it last
// did, and reports whether it had to. Go refuses an overlay below the module cache; a workspace
// of one module lets the copy lie in out/, so that plain native builds stay plain.
func Vendor(d Dirs) (did bool, err error) {
	stamp, err := moduleHash(d.Root)
	if err != nil {
		return false, err
	}
	stampFile := filepath.Join(d.Out, "vendor.stamp")
	if old, err := os.ReadFile(stampFile); err == nil && string(old) == stamp {
		if _, err := os.Stat(filepath.Join(d.Out, "vendor", "modules.txt")); err == nil {
			return false, nil
		}
	}
	if err := writeWork(d); err != nil {
		return false, err
	}
	// -e: a package of ours that does not compile yet is the compiler's to report.
	// Into a fresh directory, then only what changed is copied: a build that runs beside this
	// goes on, and Go need not hash every file anew.
	fresh := filepath.Join(d.Out, "vendor.new")
	defer os.RemoveAll(fresh)
	cmd := exec.Command("go", "work", "vendor", "-e", "-o", fresh)
	cmd.Dir = d.Out
	cmd.Env = append(os.Environ(), "GOWORK="+d.WorkFile(), "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return false, fmt.Errorf("go work vendor: %w\n%s", err, bytes.TrimSpace(out))
	}
	if err := mirror(fresh, filepath.Join(d.Out, "vendor")); err != nil {
		return false, fmt.Errorf("vendor: %w", err)
	}
	// go work vendor leaves go.mod alone, but may add to go.sum.
	if stamp, err = moduleHash(d.Root); err != nil {
		return false, err
	}
	return true, os.WriteFile(stampFile, []byte(stamp), 0o644)
}

// moduleHash also covers the imports of this module: a new package of a known module has to be
// vendored too, and it shows in no other file.
func moduleHash(root string) (string, error) {
	var b bytes.Buffer
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("vendor: %w", err)
		}
		b.Write(content)
	}
	imports, err := Imports(root)
	if err != nil {
		return "", err
	}
	for _, path := range imports {
		b.WriteString(path + "\n")
	}
	return Hash(b.Bytes()), nil
}

func writeWork(d Dirs) error {
	up, err := filepath.Rel(d.Out, d.Root)
	if err != nil {
		return fmt.Errorf("vendor: %w", err)
	}
	return writeIfChanged(d.WorkFile(), []byte("go 1.26.0\n\nuse "+filepath.ToSlash(up)+"\n"))
}
