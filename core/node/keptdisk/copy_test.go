package keptdisk

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// TestCopy: what is copied is what a disk that is opened there has, without what need not be kept, and with what lies behind
// no link; the disk that is copied goes on. What there is no room for is said, and one that cannot be written is an error.
func TestCopy(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret"), []byte("not of the nodes"))
	sink := sinkAt(t, t.TempDir())
	d := open(t, sink, Options{Root: root})
	write(t, filepath.Join(root, "node-1/data/a"), []byte("first"))
	write(t, filepath.Join(root, "node-1/tmp/passing"), []byte("gone"))
	if err := os.Symlink(program.SealLink(outside), filepath.Join(root, "node-1/data/out")); err != nil {
		t.Fatal(err)
	}
	d.Look()
	write(t, filepath.Join(root, "node-1/data/b"), []byte("not looked at yet"))
	skip := func(name string) bool { return name == "node-1/tmp" }
	copied, elsewhere := sinkAt(t, t.TempDir()), t.TempDir()
	if left, err := Copy(copied, Options{Root: root, Skip: skip}); left != nil || err != nil {
		t.Fatal(left, err)
	}
	open(t, copied, Options{Root: elsewhere})
	got := content(t, elsewhere)
	if names := slices.Sorted(maps.Keys(got)); strings.Join(names, " ") != "/node-1 /node-1/data /node-1/data/a /node-1/data/b /node-1/data/out" {
		t.Errorf("%q", names)
	}
	if !strings.HasSuffix(got["/node-1/data/b"], " not looked at yet") || !strings.HasPrefix(got["/node-1/data/out"], "-> ") {
		t.Errorf("%q", got)
	}
	if err := d.Unchanged(); err != nil {
		t.Error(err)
	}
	small, there := sinkAt(t, t.TempDir()), t.TempDir()
	left, err := Copy(small, Options{Root: root, MaxBytes: 8})
	if err != nil || left == nil || !strings.Contains(left.Error(), "node-1/data/b") {
		t.Errorf("without room: %v, %v", left, err)
	}
	open(t, small, Options{Root: there})
	if got := content(t, there); !strings.HasSuffix(got["/node-1/data/a"], " first") || got["/node-1/data/b"] != "" {
		t.Errorf("without room: %q", got)
	}
	full := errors.New("no room")
	if _, err := Copy(refusing{sinkAt(t, t.TempDir()), full}, Options{Root: root}); !errors.Is(err, full) {
		t.Errorf("onto a full disk: %v", err)
	}
}

// refusing has files that take nothing.
type refusing struct {
	persist.Sink
	err error
}

func (s refusing) Open(name string) (persist.File, error) {
	f, err := s.Sink.Open(name)
	return refusingFile{f, s.err}, err
}

type refusingFile struct {
	persist.File
	err error
}

func (f refusingFile) WriteAt([]byte, int64) (int, error) { return 0, f.err }
