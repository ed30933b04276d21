package memfs

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"testing"
)

func full1M(t *testing.T) *FS {
	f := New()
	f.SetCapacity(1 << 20)
	return f
}

func TestNoSpaceForBytes(t *testing.T) {
	f := full1M(t)
	before := f.Held()
	fd, err := f.Open("/f", O_RDWR|O_CREAT, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	piece := bytes.Repeat([]byte("x"), 1000)
	var put int
	for err == nil {
		var n int
		n, err = f.Write(fd, piece)
		put += n
	}
	if !errors.Is(err, syscall.ENOSPC) || put < 800<<10 || put > 1<<20 {
		t.Fatalf("%d bytes, then %v", put, err)
	}
	if _, err := f.Pwrite(fd, piece, 0); err != nil {
		t.Errorf("to write over what is there: %v", err)
	}
	if err := f.Truncate("/f", 15<<30); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a hole whose slots have no room: %v", err)
	}
	// An unlinked file takes its space until it is closed.
	if err := f.Unlink("/f"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("/g", O_RDWR|O_CREAT, 0o644); err != nil && f.Held() < 800<<10 {
		t.Errorf("%d held, %v", f.Held(), err)
	}
	_ = f.Unlink("/g")
	_ = f.Close(fd)
	if got := f.Held(); got > before+2000 {
		t.Errorf("%d held after the file has gone, %d before", got, before)
	}
}

func TestNoSpaceForNames(t *testing.T) {
	f := full1M(t)
	before := f.Held()
	made := 0
	var err error
	for ; err == nil; made++ {
		switch name := fmt.Sprintf("/n%d", made); made % 3 {
		case 0:
			err = f.Mkdir(name, 0o755)
		case 1:
			err = f.Symlink("somewhere", name)
		default:
			var fd int
			if fd, err = f.Open(name, O_RDWR|O_CREAT, 0o644); err == nil {
				_ = f.Close(fd)
			}
		}
	}
	made--
	if !errors.Is(err, syscall.ENOSPC) || made < 1000 || made > 2000 {
		t.Fatalf("%d names, then %v", made, err)
	}
	for i := range made {
		name := fmt.Sprintf("/n%d", i)
		if i == 0 {
			if err := f.Rename(name, "/renamed"); err != nil {
				t.Error(err)
			}
			name = "/renamed"
		}
		if i%3 == 0 {
			err = f.Rmdir(name)
		} else {
			err = f.Unlink(name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := f.Held(); got != before {
		t.Errorf("%d held after all names have gone, %d before", got, before)
	}
}

// TestSpaceIsCountedExactly makes, grows, shrinks and moves files at random.
func TestSpaceIsCountedExactly(t *testing.T) {
	f := New()
	before := f.Held()
	for i := range 200 {
		name := fmt.Sprintf("/f%d", i%17)
		fd, err := f.Open(name, O_RDWR|O_CREAT, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Pwrite(fd, make([]byte, i*1000), int64(i*i))
		_ = f.Ftruncate(fd, int64(i*i*i%300_000))
		_ = f.Close(fd)
		_ = f.Rename(name, fmt.Sprintf("/f%d", i%13))
		if i%5 == 0 {
			_ = f.Link(fmt.Sprintf("/f%d", i%13), fmt.Sprintf("/l%d", i))
		}
	}
	for i := range 200 {
		_ = f.Unlink(fmt.Sprintf("/f%d", i))
		_ = f.Unlink(fmt.Sprintf("/l%d", i))
	}
	if got := f.Held(); got != before {
		t.Errorf("%d held after all has gone, %d before", got, before)
	}
}
