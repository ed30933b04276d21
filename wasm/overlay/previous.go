package overlay

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// Diff shows what upstream changed in a file since an entry was made against it, as a unified diff.
// The old file is looked for in the module cache (for one of GOROOT: among the toolchains that Go
// has fetched), where it is after an upgrade on the same machine; without it Diff is an error that
// says which version to fetch.
func Diff(d Dirs, changed *HashError) (string, error) {
	old, err := previous(changed)
	if err != nil {
		return "", err
	}
	before, err := os.ReadFile(old)
	if err != nil {
		return "", err
	}
	after, err := os.ReadFile(d.real(changed.File))
	if err != nil {
		return "", err
	}
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(before)), FromFile: old,
		B: difflib.SplitLines(string(after)), ToFile: changed.File,
		Context: 3,
	})
}

// previous finds the file that has one of the expected hashes.
func previous(changed *HashError) (string, error) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMODCACHE: %w", err)
	}
	return previousIn(strings.TrimSpace(string(cache)), changed)
}

func previousIn(cache string, changed *HashError) (string, error) {
	var patterns []string
	if rest, ok := strings.CutPrefix(changed.File, gorootRoot); ok {
		patterns = append(patterns, filepath.Join(cache, "golang.org", "toolchain@*", rest))
	} else {
		// Where a module's path ends is not told by the path of a file.
		parts := strings.Split(strings.TrimPrefix(changed.File, vendorRoot), "/")
		for n := 1; n < len(parts); n++ {
			patterns = append(patterns, filepath.Join(cache, filepath.Join(parts[:n]...)+"@*", filepath.Join(parts[n:]...)))
		}
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && slices.Contains(changed.Expected, Hash(b)) {
				return f, nil
			}
		}
	}
	return "", fmt.Errorf("%s as it was is not in the module cache: fetch the version that the entry was made against "+
		"(git log -p wasm/overlay go.mod tells; go mod download MODULE@VERSION)", changed.File)
}
