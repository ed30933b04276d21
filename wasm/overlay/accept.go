package overlay

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// ReplaceHash writes hash into the entry of the given Path, in the source of the table.
func ReplaceHash(d Dirs, path, hash string) error {
	entry := regexp.MustCompile(`(Path:\s+"` + regexp.QuoteMeta(path) + `",\n(?:\s+From:[^\n]*\n)?\s+SHA256:\s+\[\]string\{)[^}]*\}`)
	tables, err := filepath.Glob(filepath.Join(d.Root, "wasm", "overlay", "table_*.go"))
	if err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	for _, file := range tables {
		src, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		if entry.Match(src) {
			return os.WriteFile(file, entry.ReplaceAll(src, []byte(`${1}"`+hash+`"}`)), 0o644)
		}
	}
	return fmt.Errorf("accept: no entry for %s in the table's source", path)
}
