package keptdisk

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/program"
)

// TestOwnersAreKept: what programs see of owners and modes (ADR 33) is there when a node's disk comes
// back, and what changed of it without a change of the content as well.
func TestOwnersAreKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("giving files to somebody takes root natively; in the tab it does not")
	}
	kept, root := t.TempDir(), t.TempDir()
	disk := nodefs.New(root, nodefs.Sized(1<<20), nil)
	d := open(t, sinkAt(t, kept), Options{Root: root})
	d.Attribute(disk.Attributes)
	set := func(name string, a program.Attributes) {
		t.Helper()
		file := filepath.Join(root, name)
		info, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		a.Mode |= info.Mode().Type()
		disk.SetAttributes(file, info, a)
	}
	back := func() map[string]program.Attributes {
		t.Helper()
		again := t.TempDir()
		open(t, sinkAt(t, copyOf(t, kept)), Options{Root: again})
		found := map[string]program.Attributes{}
		err := filepath.WalkDir(again, func(file string, item fs.DirEntry, err error) error {
			if err != nil || file == again {
				return err
			}
			info, err := item.Info()
			found[file[len(again)+1:]] = nodefs.New(again, nodefs.Sized(1<<20), nil).Attributes(file, info)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	expect := func(want map[string]program.Attributes) {
		t.Helper()
		d.Look()
		got := back()
		for name, w := range want {
			if got[name] != w {
				t.Errorf("%s is %+v, want %+v", name, got[name], w)
			}
		}
	}

	write(t, filepath.Join(root, "volume/file"), []byte("one"))
	write(t, filepath.Join(root, "volume/set"), []byte("one"))
	if err := os.Symlink("file", filepath.Join(root, "volume/link")); err != nil {
		t.Fatal(err)
	}
	d.Look() // all are root's
	set("volume", program.Attributes{UID: 1000, GID: 2000, Mode: 0o770 | fs.ModeSetgid | fs.ModeSticky})
	set("volume/file", program.Attributes{UID: 1000, GID: 2000})
	set("volume/set", program.Attributes{UID: 1, GID: 0, Mode: 0o755 | fs.ModeSetuid})
	set("volume/link", program.Attributes{UID: 1000, GID: 2000, Mode: 0o777})
	want := map[string]program.Attributes{
		"volume":      {UID: 1000, GID: 2000, Mode: fs.ModeDir | 0o770 | fs.ModeSetgid | fs.ModeSticky},
		"volume/file": {UID: 1000, GID: 2000, Mode: 0},
		"volume/set":  {UID: 1, GID: 0, Mode: 0o755 | fs.ModeSetuid},
		"volume/link": {UID: 1000, GID: 2000, Mode: fs.ModeSymlink | 0o777},
	}
	expect(want)

	// One that grows keeps its owner, one that is made anew does not, one is given back to root.
	write(t, filepath.Join(root, "volume/file"), []byte("one and two"))
	set("volume/link", program.Attributes{Mode: 0o777})
	if err := os.Remove(filepath.Join(root, "volume/set")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "volume/set"), []byte("two"))
	want["volume/link"] = program.Attributes{Mode: fs.ModeSymlink | 0o777}
	want["volume/set"] = program.Attributes{Mode: 0o640}
	expect(want)

	if err := d.rewrite(); err != nil {
		t.Fatal(err)
	}
	expect(want)
}

// TestOwnersThatSomebodyElseWrote: numbers that no user has are not taken.
func TestOwnersThatSomebodyElseWrote(t *testing.T) {
	tr := &tree{entries: map[string]*treeEntry{}, most: 1 << 20}
	tr.apply(record{kind: kindFile, path: "file", mode: 0o600})
	for _, r := range []record{
		{kind: kindOwner, path: "file", size: maxID + 1},
		{kind: kindOwner, path: "file", offset: 1 << 62},
		{kind: kindOwner, path: "none", size: 1},
		{kind: kindOwner, path: "../file", size: 1},
	} {
		tr.apply(r)
	}
	if e := tr.entries["file"]; e.uid != 0 || e.gid != 0 || len(tr.entries) != 1 {
		t.Errorf("%+v, %d entries", e, len(tr.entries))
	}
}
