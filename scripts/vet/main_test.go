package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFinds: what go vet finds by its own tool in a package of ours it finds by this one.
func TestFinds(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "vet")
	build := exec.Command("go", "build", "-o", tool, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	files := map[string]string{
		"go.mod": "module " + module + "\n\ngo 1.26\n",
		"a/a.go": "package a\n\nimport \"fmt\"\n\nfunc Say(format string, args ...any) { fmt.Printf(format, args...) }\n",
		"b/b.go": "package b\n\nimport \"" + module + "/a\"\n\nfunc B() { a.Say(\"%d\", \"text\") }\n",
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vet := exec.Command(tool, "./...")
	vet.Dir = dir
	vet.Env = append(os.Environ(), "GOFLAGS=")
	out, err := vet.CombinedOutput()
	// That Say prints as Printf does is known of another package of ours.
	if err == nil || !strings.Contains(string(out), "b.go:5:") || !strings.Contains(string(out), "of wrong type string") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := passOver(filepath.Join(dir, "none.cfg")); err == nil {
		t.Error("what cannot be read is passed over")
	}
}
