package controlplane

import (
	"os"
	"path/filepath"
	"testing"
)

func TestInstanceIsKept(t *testing.T) {
	dir := t.TempDir()
	first, err := instance(dir)
	if err != nil || len(first) < 22 {
		t.Fatalf("%q, %v", first, err)
	}
	if again, err := instance(dir); err != nil || again != first {
		t.Errorf("then %q, %v; before %q", again, err, first)
	}
	if other, err := instance(t.TempDir()); err != nil || other == first {
		t.Errorf("another cluster has %q, %v", other, err)
	}
	file := filepath.Join(dir, "instance")
	if s, err := os.Stat(file); err != nil || s.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", s, err)
	}
	// What a crash left half made is made anew.
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if made, err := instance(dir); err != nil || len(made) < 22 {
		t.Errorf("%q, %v", made, err)
	}
	if _, err := instance(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a directory that is not there is no error")
	}
}
