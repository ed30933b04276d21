package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// addFiles writes an overlay that also gives each package a test file that imports wasm/memfs:
// the files under package os are then those of the tab, not those that Node shows.
func addFiles(d overlay.Dirs, packages []string) (string, error) {
	text, err := os.ReadFile(d.JSON())
	if err != nil {
		return "", fmt.Errorf("read the overlay: %w", err)
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &o); err != nil {
		return "", fmt.Errorf("read the overlay: %w", err)
	}
	cmd := overlay.Command(d, "list", append([]string{"-f", "{{.Dir}}\t{{.Name}}"}, packages...)...)
	cmd.Stderr = os.Stderr
	listed, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("list the packages: %w", err)
	}
	for line := range strings.Lines(string(listed)) {
		dir, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		source := filepath.Join(d.Out, "jstest", name+"_test.go")
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			return "", err
		}
		content := "package " + name + "_test\n\nimport _ \"github.com/tabernetes/tabernetes/wasm/memfs\"\n"
		if err := os.WriteFile(source, []byte(content), 0o644); err != nil {
			return "", err
		}
		o.Replace[filepath.Join(dir, "zz_memfs_test.go")] = source
	}
	if text, err = json.Marshal(o); err != nil {
		return "", err
	}
	file := filepath.Join(d.Out, "overlay-test.json")
	return file, os.WriteFile(file, text, 0o644)
}
