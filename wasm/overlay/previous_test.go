package overlay

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPrevious(t *testing.T) {
	cache := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(cache, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	want := write("k8s.io/kubernetes@v1.36.3/pkg/kubelet/x.go", "old")
	write("k8s.io/kubernetes@v1.37.0/pkg/kubelet/x.go", "new")
	changed := &HashError{File: "vendor/k8s.io/kubernetes/pkg/kubelet/x.go", Expected: []string{"another", Hash([]byte("old"))}}
	if got, err := previousIn(cache, changed); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	changed.Expected = nil
	if got, err := previousIn(cache, changed); err == nil {
		t.Errorf("a file of another version was taken for it: %s", got)
	}
}
