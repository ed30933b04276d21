package datadir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// filled has a store of some keys, the last of them big enough to be found in the file.
func filled(t *testing.T, keys int) Dir {
	t.Helper()
	d := Dir(t.TempDir())
	s, err := store.Open(store.Options{Path: d.Store()})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Client()
	for i := range keys {
		value := strings.Repeat(fmt.Sprintf("value %d,", i), 50)
		if _, err := c.Put(t.Context(), fmt.Sprintf("/registry/things/%03d", i), value); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Close() // says, as etcd's client does, that it was closed
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return d
}

// damage flips a bit in the middle of the record of one key.
func damage(t *testing.T, d Dir, key int) (file string, offset int64) {
	t.Helper()
	file = filepath.Join(d.Store(), "journal-00000000")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, fmt.Appendf(nil, "value %d,", key))
	if at < 0 {
		t.Fatal("the value is not in the file")
	}
	data[at+100] ^= 4
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, int64(at)
}

func TestRepairKeepsTheGoodPrefix(t *testing.T) {
	d := filled(t, 100)
	whole, err := d.Verify()
	if err != nil || whole.Keys != 100 || whole.Revision != 101 {
		t.Fatalf("%+v, %v", whole, err)
	}
	if sum, lost, copied, err := d.Repair(); err != nil || sum != whole || lost != nil || copied != "" {
		t.Errorf("repair of what is whole: %+v, %v, %q, %v", sum, lost, copied, err)
	}
	file, at := damage(t, d, 60)
	damaged, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var where *persist.DamageError
	if _, err := d.Verify(); !errors.As(err, &where) || where.Offset >= at || where.Offset < at-200 {
		t.Fatalf("verify: %v, want the record before byte %d", err, at)
	}
	sum, lost, copied, err := d.Repair()
	if err != nil || sum.Keys != 60 || sum.Revision != 61 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if len(lost) != 1 || lost[0].From != where.Offset || lost[0].Bytes != int64(len(damaged))-where.Offset {
		t.Errorf("lost %+v", lost)
	}
	if kept, err := os.ReadFile(filepath.Join(copied, filepath.Base(file))); err != nil || !bytes.Equal(kept, damaged) {
		t.Errorf("the copy in %s is not as the file was: %v", copied, err)
	}
	// A second damage has a copy of its own.
	damage(t, d, 30)
	if sum, _, second, err := d.Repair(); err != nil || sum.Keys != 30 || second == copied {
		t.Errorf("again: %+v, %s, %v", sum, second, err)
	}
}

func TestWithoutAStore(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "none"))
	if _, err := d.Verify(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("verify: %v", err)
	}
	if _, _, _, err := d.Repair(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("repair: %v", err)
	}
	if _, err := d.Export(filepath.Join(t.TempDir(), "x.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("export: %v", err)
	}
	if _, err := os.Stat(string(d)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a directory was made by looking")
	}
}

func TestWhileItIsOpen(t *testing.T) {
	d := filled(t, 1)
	s, err := store.Open(store.Options{Path: d.Store()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := d.Verify(); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("verify: %v", err)
	}
}

func TestExportAndImport(t *testing.T) {
	from, to := filled(t, 25), Dir(filepath.Join(t.TempDir(), "new"))
	file := filepath.Join(t.TempDir(), "snapshot.db")
	exported, err := from.Export(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Export(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file that exists: %v", err)
	}
	imported, err := to.Import(file)
	if err != nil || imported != exported || imported.Keys != 25 {
		t.Fatalf("%+v, %v, want %+v", imported, err, exported)
	}
	if sum, err := to.Verify(); err != nil || sum != exported {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := to.Import(file); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("over a store that exists: %v", err)
	}
	// What is no snapshot leaves nothing behind.
	empty := Dir(t.TempDir())
	if err := os.WriteFile(file, []byte("no snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := empty.Import(file); err == nil {
		t.Error("imported what is no snapshot")
	}
	if entries, _ := os.ReadDir(string(empty)); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}
