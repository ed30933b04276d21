package controlplane

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// instance is the cluster's secret towards the hub. It is kept in the cluster's directory, as a page
// keeps it over a reload: a control plane that was killed finds its name again at a hub that runs on.
func instance(dir string) (string, error) {
	file := filepath.Join(dir, "instance")
	b, err := os.ReadFile(file)
	if err == nil && len(b) > 0 {
		return string(b), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the cluster's secret towards the hub: %w", err)
	}
	made := rand.Text()
	if err := wholefile.Write(file, []byte(made), 0o600); err != nil {
		return "", fmt.Errorf("keep the cluster's secret towards the hub: %w", err)
	}
	return made, nil
}
