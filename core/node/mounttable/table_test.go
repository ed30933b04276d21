package mounttable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/mount-utils"
)

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTmpfsIsEmptiedByUnmount(t *testing.T) {
	root := t.TempDir()
	table := New(root)
	dir := mkdir(t, root, "secret")
	if err := table.Mount("tmpfs", dir, "tmpfs", []string{"size=1Mi"}); err != nil {
		t.Fatal(err)
	}
	if err := table.Mount("tmpfs", dir, "tmpfs", nil); err != nil {
		t.Fatalf("second mount: %v", err)
	}
	if points, _ := table.List(); len(points) != 1 || points[0].Path != dir || points[0].Type != "tmpfs" {
		t.Fatalf("List = %+v", points)
	}
	if is, err := table.IsMountPoint(dir + "/"); err != nil || !is {
		t.Fatalf("IsMountPoint = %v, %v", is, err)
	}
	write(t, filepath.Join(dir, "token"), "x")
	mkdir(t, dir, "..data")

	// mount-utils' own clean-up, which the volume plugins call, must be content.
	if err := mount.CleanupMountPoint(dir, table, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("after clean-up: %v", err)
	}
}

// TestTmpfsBeginsEmpty: what lay there when the node lost power would have been in memory.
func TestTmpfsBeginsEmpty(t *testing.T) {
	root := t.TempDir()
	dir := mkdir(t, root, "cache")
	write(t, filepath.Join(dir, "of-before"), "x")
	write(t, filepath.Join(mkdir(t, dir, "sub"), "of-before"), "x")
	table := New(root)
	if err := table.Mount("tmpfs", dir, "tmpfs", nil); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("it has %v, %v", entries, err)
	}
	write(t, filepath.Join(dir, "now"), "x")
	if err := table.Mount("tmpfs", dir, "tmpfs", nil); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("mounted twice it has %v, %v", entries, err)
	}
}

func TestBindShowsTheSourceAndKeepsIt(t *testing.T) {
	root := t.TempDir()
	table := New(root)
	source, target := mkdir(t, root, "disk"), mkdir(t, root, "pod", "vol")
	write(t, filepath.Join(source, "a"), "1")
	if err := table.Mount(source, target, "", []string{"bind"}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(target, "a")); err != nil || string(got) != "1" {
		t.Fatalf("read through bind: %q, %v", got, err)
	}
	if refs, _ := table.GetMountRefs(source); !slices.Equal(refs, []string{target}) {
		t.Fatalf("GetMountRefs(source) = %v", refs)
	}
	if refs, _ := table.GetMountRefs(target); !slices.Equal(refs, []string{source}) {
		t.Fatalf("GetMountRefs(target) = %v", refs)
	}
	if err := table.Unmount(target); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(target); err != nil || len(entries) != 0 {
		t.Fatalf("target after unmount: %v, %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(source, "a")); err != nil {
		t.Fatalf("source after unmount: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	root := t.TempDir()
	table := New(filepath.Join(root, "node"))
	dir := mkdir(t, root, "node", "d")
	outside := mkdir(t, root, "node2")
	if err := table.Mount("tmpfs", outside, "tmpfs", nil); err == nil {
		t.Error("mount outside of the root succeeded")
	}
	if err := table.Mount(outside, dir, "", []string{"bind"}); err == nil {
		t.Error("bind of a directory outside of the root succeeded")
	}
	if err := os.Symlink(outside, filepath.Join(root, "node", "link")); err != nil {
		t.Fatal(err)
	}
	if err := table.Mount(filepath.Join(root, "node", "link"), dir, "", []string{"bind"}); err == nil {
		t.Error("bind of a link out of the root succeeded")
	}
	if err := table.Mount("/dev/sda1", dir, "ext4", nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("ext4: %v", err)
	}
	if err := table.Unmount(dir); err == nil {
		t.Error("unmount of a plain directory succeeded")
	}
	if _, err := table.IsLikelyNotMountPoint(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent path: %v", err)
	}
}

func TestRemovedDirectoryIsForgotten(t *testing.T) {
	root := t.TempDir()
	table := New(root)
	dir := mkdir(t, root, "d")
	if err := table.Mount("tmpfs", dir, "tmpfs", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	mkdir(t, dir)
	_, _ = table.List() // the path exists again before anyone looked
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if points, _ := table.List(); len(points) != 0 {
		t.Fatalf("List = %+v", points)
	}
}
