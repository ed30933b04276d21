package nodefs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// TestAFullFileSystem writes to it as a program does until there is no space left, twice: once
// with bytes, once with entries.
func TestAFullFileSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		disk := New(root, Usage{Bytes: 1 << 20, Inodes: 200}, nil)
		files := program.NewFS(root).On(disk, nil)
		file, err := files.Create("/endless")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		piece := []byte(strings.Repeat("x", 4096))
		written := 0
		for err == nil {
			var n int
			n, err = file.Write(piece)
			written += n
		}
		if !errors.Is(err, syscall.ENOSPC) || written < 900<<10 || written > 1<<20-1<<20/Reserved {
			t.Fatalf("%d bytes, then %v", written, err)
		}
		if err := os.WriteFile(filepath.Join(root, "kubelet"), piece, 0o644); err != nil {
			t.Error(err)
		}
		// What is removed can be used again, as soon as it is measured.
		if err := files.Remove("/endless"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := files.WriteFile("/more", piece, 0o644); err != nil {
			t.Errorf("after the file was removed: %v", err)
		}
		made := 0
		for err = nil; err == nil; made++ {
			err = files.Mkdir("/d"+strings.Repeat("d", made%200)+time.Duration(made).String(), 0o755)
		}
		if !errors.Is(err, syscall.ENOSPC) || made < 150 || made > 190 {
			t.Errorf("%d directories, then %v", made, err)
		}
	})
}

// TestWritingOverAgain has a program write the same file for ever: it takes no more space.
func TestWritingOverAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		files := program.NewFS(root).On(New(root, Usage{Bytes: 1 << 20, Inodes: 1000}, nil), nil)
		for i := range 100 {
			if err := files.WriteFile("/same", make([]byte, 100<<10), 0o644); err != nil {
				t.Fatalf("write %d: %v", i, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}

// TestWhatAFullDiskLosesIsSeen: a volume that the kubelet removes is not what programs' calls tell of, and the
// next pod would be evicted for it. A disk with room is measured as seldom as ever.
func TestWhatAFullDiskLosesIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		disk := New(root, Usage{Bytes: 1 << 20, Inodes: 1000}, nil)
		for _, c := range []struct {
			kib  int
			seen bool
		}{{900, true}, {100, false}} {
			file := filepath.Join(root, "volume")
			if err := os.WriteFile(file, make([]byte, c.kib<<10), 0o600); err != nil {
				t.Fatal(err)
			}
			time.Sleep(MaxAge)
			if used := disk.Usage().Bytes; used != uint64(c.kib<<10) {
				t.Fatalf("%d KiB are %d bytes", c.kib, used)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if used := disk.Usage().Bytes; used == 0 != c.seen {
				t.Errorf("a second after %d KiB have gone it has %d bytes", c.kib, used)
			}
		}
	})
}

func TestAHoleIsReservedAsWhole(t *testing.T) {
	root := t.TempDir()
	files := program.NewFS(root).On(New(root, Usage{Bytes: 1 << 20, Inodes: 1000}, nil), nil)
	if err := files.WriteFile("/f", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := files.Truncate("/f", 16<<30); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("16 GiB in a file system of 1 MiB: %v", err)
	}
}

// TestNodesShareAPool has one node fill what two could hold.
func TestNodesShareAPool(t *testing.T) {
	pool := NewPool(1 << 20)
	one, other := t.TempDir(), t.TempDir()
	a := program.NewFS(one).On(New(one, Usage{Bytes: 1 << 20, Inodes: 1000}, pool), nil)
	b := program.NewFS(other).On(New(other, Usage{Bytes: 1 << 20, Inodes: 1000}, pool), nil)
	if err := a.WriteFile("/f", make([]byte, 900<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.WriteFile("/f", make([]byte, 200<<10), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("more than the pool holds: %v", err)
	}
	if err := b.WriteFile("/f", make([]byte, 100<<10), 0o644); err != nil {
		t.Errorf("what is left of the pool: %v", err)
	}
}

// TestBytesNeedNoInode: a log goes on being written where a pod has used up all entries, and the runtime has
// made some more since they were counted.
func TestBytesNeedNoInode(t *testing.T) {
	root := t.TempDir()
	f := New(root, Usage{Bytes: 1 << 20, Inodes: 20}, nil)
	if err := f.Reserve(0, 1); err != nil { // it is measured
		t.Fatal(err)
	}
	for i := range 30 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.at = time.Now().Add(-time.Hour) // it will be measured again
	if err := f.Reserve(0, 20); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("entries beyond the last: %v", err)
	}
	if err := f.Reserve(100, 0); err != nil {
		t.Errorf("bytes of a file that is there: %v", err)
	}
}
