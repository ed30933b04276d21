package nodefs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// TestOwnersAreOfOneFile removes files behind the table's back, as the kubelet does with a pod's volumes,
// and makes others in their place: their inode numbers come again.
func TestOwnersAreOfOneFile(t *testing.T) {
	root := t.TempDir()
	disk := New(root, Sized(64<<20), nil)
	files := program.NewFS(root).On(disk, nil)
	for i := range 200 {
		name := fmt.Sprintf("/f%d", i)
		if err := files.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := files.Chown(name, 1000, 1000); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 200 {
		if err := os.Remove(filepath.Join(root, fmt.Sprintf("f%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 200 {
		name := fmt.Sprintf("g%d", i)
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		info, err := files.Stat("/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if a := program.AttributesOf(info); a.UID != 0 || a.GID != 0 || a.Mode.Perm() != 0o644 {
			t.Fatalf("a new file is %+v", a)
		}
	}
	// What was measured a moment ago would do otherwise, and another process may have the inodes' numbers.
	disk.at = time.Time{}
	if disk.Usage(); len(disk.inodes.entries) != 0 {
		t.Errorf("%d entries of files that have gone", len(disk.inodes.entries))
	}
}

// TestTheFilesOwnWordCounts changes files as the kubelet does: what it says replaces what a program
// had said of the same field, and of no other.
func TestTheFilesOwnWordCounts(t *testing.T) {
	root := t.TempDir()
	disk := New(root, Sized(64<<20), nil)
	files := program.NewFS(root).On(disk, nil)
	if err := files.WriteFile("/f", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := files.Chown("/f", 1000, 2000); err != nil {
		t.Fatal(err)
	}
	is := func(want program.Attributes) {
		t.Helper()
		info, err := files.Lstat("/f")
		if err != nil {
			t.Fatal(err)
		}
		if got := program.AttributesOf(info); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	is(program.Attributes{UID: 1000, GID: 2000, Mode: 0o644})
	if err := files.As(program.User(1000, 1000)).Chmod("/f", 0o400|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	is(program.Attributes{UID: 1000, GID: 2000, Mode: 0o400 | fs.ModeSetuid})
	if err := os.Chmod(filepath.Join(root, "f"), 0o660); err != nil {
		t.Fatal(err)
	}
	is(program.Attributes{UID: 1000, GID: 2000, Mode: 0o660})
	if disk.Usage(); len(disk.inodes.entries) != 1 {
		t.Errorf("%d entries", len(disk.inodes.entries))
	}
}
