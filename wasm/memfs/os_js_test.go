package memfs_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	_ "github.com/tabernetes/tabernetes/wasm/memfs"
)

// Package os over this file system, as everything in the tab uses it.

func TestOSFiles(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	if err := os.MkdirAll(deep, 0o750); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(deep, "file")
	if err := os.WriteFile(file, []byte(strings.Repeat("0123456789", 20000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || len(b) != 200000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	when := time.Date(2020, 1, 2, 3, 4, 5, 6000, time.UTC)
	if err := os.Chtimes(file, time.Time{}, when); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(file); err != nil || !st.ModTime().Equal(when) || st.Mode() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
	if err := os.Symlink("file", filepath.Join(deep, "link")); err != nil {
		t.Error(err)
	}
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "z")); err != nil {
		t.Error(err)
	}
	if err := fstest.TestFS(os.DirFS(dir), "z/b/c/file", "z/b/c/link"); err != nil {
		t.Error(err)
	}
	if _, err := os.Open(file); !errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), "no such file or directory") {
		t.Errorf("a file that is gone: %v", err)
	}
	if err := os.Remove(dir); !errors.Is(err, syscall.ENOTEMPTY) {
		t.Errorf("remove a directory with entries: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "z")); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestOSRoot(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.MkdirAll("x/y", 0o755); err != nil {
		t.Error(err)
	}
	if err := root.WriteFile("x/y/f", []byte("in"), 0o644); err != nil {
		t.Error(err)
	}
	if err := root.Symlink("/etc/passwd", "x/out"); err != nil {
		t.Error(err)
	}
	if _, err := root.ReadFile("x/out"); err == nil {
		t.Error("a link led out of the root")
	}
}

func TestMachine(t *testing.T) {
	if u, err := user.LookupId("0"); err != nil || u.Username != "root" || u.HomeDir != "/root" {
		t.Errorf("user 0: %+v, %v", u, err)
	}
	if h, err := os.Hostname(); h != "tabernetes" || err != nil {
		t.Errorf("host name %q, %v", h, err)
	}
	if st, err := os.Stdout.Stat(); err != nil || st.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("standard output: %v, %v", st, err)
	}
	if addrs, err := net.LookupHost("localhost"); err != nil || len(addrs) == 0 || addrs[0] != "127.0.0.1" {
		t.Errorf("localhost: %v, %v", addrs, err)
	}
	begin := time.Now()
	if _, err := net.LookupHost("nowhere.example"); err == nil || time.Since(begin) > 500*time.Millisecond {
		t.Errorf("an unknown name: %v after %v", err, time.Since(begin))
	}
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(name); err != nil || st.Mode() != 0o600 {
		t.Errorf("under umask 077: %v, %v", st.Mode(), err)
	}
}
