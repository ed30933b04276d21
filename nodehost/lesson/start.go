package lesson

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed start.md
var start []byte

// Start makes a folder with a first lesson, which passes its check. What is there already is left as it is.
func Start(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the lesson's folder: %w", err)
	}
	name := filepath.Join(dir, Name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("there is a lesson already: %s", name)
	} else if err != nil {
		return fmt.Errorf("make a lesson: %w", err)
	}
	_, err = f.Write(start)
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("write a lesson: %w", err)
	}
	return nil
}
