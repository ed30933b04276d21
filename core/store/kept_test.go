package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

func openAt(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestKeptInADirectory goes the way of an apiserver that is stopped, started again,
// and then finds its files damaged.
func TestKeptInADirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s := openAt(t, path)
	uninstall := store.Install(s)
	st, _ := createStorage(t, configFor(s.Endpoint()))
	createPod(t, st, "a")
	createPod(t, st, "b")
	uninstall()
	// On js the files are the program's own, and nothing locks them.
	if _, err := store.Open(store.Options{Path: path}); err == nil && runtime.GOOS != "js" {
		t.Fatal("opened while it is open")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = openAt(t, path)
	defer store.Install(s)()
	st, _ = createStorage(t, configFor(s.Endpoint()))
	if !hasPod(t, st, "a") || !hasPod(t, st, "b") {
		t.Error("pods are gone")
	}
	createPod(t, st, "c")
	rev := s.Status().Revision
	if kept, ok := s.Kept(); !ok || kept.Recovered.Revision != rev-1 {
		t.Errorf("recovered %+v, %v, want revision %d", kept, ok, rev-1)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	name := filepath.Join(path, "journal-00000000")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-20] ^= 1 // in pod c
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var damage *persist.DamageError
	if _, err := store.Open(store.Options{Path: path}); !errors.As(err, &damage) {
		t.Fatalf("opened damaged files: %v", err)
	}
	got, lost, err := store.Repair(path)
	if err != nil || got != rev-1 || len(lost) != 1 || lost[0].From != damage.Offset {
		t.Fatalf("repaired to %d, without %+v, %v; want %d", got, lost, err, rev-1)
	}
	s = openAt(t, path)
	defer store.Install(s)()
	st, _ = createStorage(t, configFor(s.Endpoint()))
	if !hasPod(t, st, "a") || !hasPod(t, st, "b") || hasPod(t, st, "c") {
		t.Error("want pods a and b, and not c")
	}
}
