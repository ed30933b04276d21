package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"crypto/sha256"
	"encoding/hex"
)

// inputs is the hash of everything in the repository that the module is made from.
func (b *build) inputs() (string, error) {
	h := sha256.New()
	version, err := os.ReadFile(filepath.Join(b.dirs.GOROOT, "VERSION"))
	if err != nil {
		return "", fmt.Errorf("inputs: %w", err)
	}
	fmt.Fprintf(h, "%s %s\n", runtime.Version(), version)
	for _, top := range []string{"go.mod", "go.sum", "core", "wasm"} {
		err := filepath.WalkDir(filepath.Join(b.dirs.Root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			fmt.Fprintln(h, path)
			_, err = io.Copy(h, f)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("inputs: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (b *build) stampFile() string { return b.module() + ".stamp" }

// stamped is what the stamp says of inputs; another directory for the files is another build.
func (b *build) stamped(inputs string) string { return inputs + " in " + b.assets + "\n" }

func (b *build) stamp(inputs string) error {
	return os.WriteFile(b.stampFile(), []byte(b.stamped(inputs)), 0o644)
}

// upToDate reports whether the files of these inputs are all there.
func (b *build) upToDate(inputs string, brotli int) (m manifest, ok bool) {
	if old, err := os.ReadFile(b.stampFile()); err != nil || string(old) != b.stamped(inputs) {
		return m, false
	}
	text, err := os.ReadFile(b.manifestFile())
	if err != nil || json.Unmarshal(text, &m) != nil || brotli > 0 && m.Wasm.Quality != brotli {
		return m, false
	}
	files := []string{m.Wasm.URL, m.Exec.URL}
	if m.Wasm.Brotli > 0 {
		files = append(files, m.Wasm.URL+".br")
	}
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(b.assets, f)); err != nil {
			return m, false
		}
	}
	return m, true
}
