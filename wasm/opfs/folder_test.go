package opfs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAFolderThereAndBack keeps a folder, changes it, and tears what was written last.
func TestAFolderThereAndBack(t *testing.T) {
	at := t.TempDir()
	sink, err := persist.OpenDir(at)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	keys, back := t.TempDir(), filepath.Join(t.TempDir(), "pki")
	if ok, err := LoadFolder(sink, "keys", back); ok || err != nil {
		t.Fatalf("nothing was kept: %v, %v", ok, err)
	}
	write(t, filepath.Join(keys, "ca.crt"), "one")
	write(t, filepath.Join(keys, "etcd/ca.crt"), "two")
	restored := func(want string) {
		t.Helper()
		if ok, err := LoadFolder(sink, "keys", back); !ok || err != nil {
			t.Fatalf("%v, %v", ok, err)
		}
		for name, content := range map[string]string{"ca.crt": want, "etcd/ca.crt": "two"} {
			if got, err := os.ReadFile(filepath.Join(back, name)); string(got) != content || err != nil {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
	}
	for range 2 { // the second time there is nothing to write
		if err := SaveFolder(sink, "keys", keys); err != nil {
			t.Fatal(err)
		}
		restored("one")
	}
	write(t, filepath.Join(keys, "ca.crt"), "changed")
	if err := SaveFolder(sink, "keys", keys); err != nil {
		t.Fatal(err)
	}
	restored("changed")
	if _, err := os.Stat(filepath.Join(at, "keys-1")); err == nil {
		t.Error("what was kept before is still there")
	}

	// A tab that ended while it wrote the next one.
	whole, err := os.ReadFile(filepath.Join(at, "keys-2"))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) {
		write(t, filepath.Join(at, "keys-3"), string(whole[:cut]))
		restored("changed")
	}
	if err := SaveFolder(sink, "keys", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	names, err := sink.Files()
	if err != nil || len(names) != 1 || names[0] != "keys-4" {
		t.Errorf("kept as %v, %v", names, err)
	}
}

// TestAFolderThatSomebodyElseWrote: another page of the same origin can write there, too.
func TestAFolderThatSomebodyElseWrote(t *testing.T) {
	sink, err := persist.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if err := writeWhole(sink, "keys-1", []byte(`{"../outside": "eA=="}`)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pki")
	if ok, err := LoadFolder(sink, "keys", path); ok || err == nil {
		t.Errorf("a name that leads out was taken: %v, %v", ok, err)
	}
	if _, err := os.Stat(filepath.Join(path, "..", "outside")); err == nil {
		t.Error("it is there")
	}
}

// TestAFileThereAndBack: as the folder's file, and nothing is made where nothing was kept.
func TestAFileThereAndBack(t *testing.T) {
	sink, err := persist.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	from, back := filepath.Join(t.TempDir(), "configuration.json"), filepath.Join(t.TempDir(), "new", "configuration.json")
	if ok, err := LoadFile(sink, "configuration", back); ok || err != nil {
		t.Fatalf("nothing was kept: %v, %v", ok, err)
	}
	for _, content := range []string{"{}", `{"now":{}}`} {
		write(t, from, content)
		if err := SaveFile(sink, "configuration", from); err != nil {
			t.Fatal(err)
		}
		ok, err := LoadFile(sink, "configuration", back)
		got, _ := os.ReadFile(back)
		if !ok || err != nil || string(got) != content {
			t.Errorf("%q is %q, %v, %v", content, got, ok, err)
		}
	}
	write(t, from, string(make([]byte, maxKept+1)))
	if err := SaveFile(sink, "configuration", from); err == nil {
		t.Error("a file without bound is kept")
	}
}
