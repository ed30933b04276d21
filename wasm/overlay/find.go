package overlay

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Find gives the Dirs of the repository that holds the working directory, for the go command
// in the PATH.
func Find() (Dirs, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return Dirs{}, fmt.Errorf("go env GOROOT: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return Dirs{}, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "wasm", "overlay", "find.go")); err == nil {
			return DirsAt(dir, strings.TrimSpace(string(goroot))), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Dirs{}, errors.New("run this inside the repository")
		}
		dir = up
	}
}
