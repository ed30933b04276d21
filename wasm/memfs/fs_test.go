package memfs

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestUnlinkedFileStaysReadable(t *testing.T) {
	f := New()
	fd, err := f.Open("/log", O_RDWR|O_CREAT, 0o600)
	must(t, err)
	must(t, f.Unlink("/log"))
	if _, err := f.Write(fd, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 9)
	if n, err := f.Pread(fd, b, 1); err != nil || string(b[:n]) != "ello" {
		t.Errorf("read %q, %v", b[:n], err)
	}
	if st, err := f.Fstat(fd); err != nil || st.Nlink != 0 || st.Size != 5 {
		t.Errorf("fstat: %+v, %v", st, err)
	}
	if _, err := f.Stat("/log", true); err != syscall.ENOENT {
		t.Errorf("stat: %v", err)
	}
}

func TestSparseFileTakesNoMemory(t *testing.T) {
	f := New()
	fd, err := f.Open("/swap", O_RDWR|O_CREAT, 0o600)
	must(t, err)
	must(t, f.Ftruncate(fd, maxSize))
	if _, err := f.Pwrite(fd, []byte("x"), maxSize-1); err != nil {
		t.Fatal(err)
	}
	st, err := f.Fstat(fd)
	must(t, err)
	if st.Size != maxSize || st.Blocks*512 > pageSize {
		t.Errorf("size %d takes %d blocks", st.Size, st.Blocks)
	}
	if _, err := f.Pwrite(fd, []byte("xy"), maxSize-1); err != syscall.EFBIG {
		t.Errorf("beyond the limit: %v, want EFBIG", err)
	}
	b := []byte{1, 2, 3}
	if n, err := f.Pread(fd, b, 5<<20); n != 3 || err != nil || b[0]+b[1]+b[2] != 0 {
		t.Errorf("hole: %d, %v, %v", n, err, b)
	}
}

func TestTruncateThenGrowReadsZero(t *testing.T) {
	f := New()
	must(t, f.WriteFile("/a", []byte(strings.Repeat("z", pageSize+100)), 0o644))
	must(t, f.Truncate("/a", 10))
	must(t, f.Truncate("/a", pageSize+100))
	fd, err := f.Open("/a", O_RDONLY, 0)
	must(t, err)
	b := make([]byte, pageSize+100)
	if n, err := f.Read(fd, b); n != len(b) || err != nil {
		t.Fatal(n, err)
	}
	if got := string(b); got != strings.Repeat("z", 10)+strings.Repeat("\x00", pageSize+90) {
		t.Error("bytes that were cut off came back")
	}
}

func TestDescriptorsAreTheLowestFree(t *testing.T) {
	f := New()
	a, err := f.Open("/", O_RDONLY, 0)
	must(t, err)
	b, err := f.Open("/", O_RDONLY, 0)
	must(t, err)
	must(t, f.Close(a))
	c, err := f.Dup(b)
	must(t, err)
	if a != 3 || b != 4 || c != 3 {
		t.Errorf("got %d, %d, %d", a, b, c)
	}
	if err := f.Close(99); err != syscall.EBADF {
		t.Errorf("close of what is not open: %v", err)
	}
}

func TestWorkingDirectoryOutlivesItsName(t *testing.T) {
	f := New()
	must(t, f.Mkdir("/d", 0o755))
	must(t, f.Chdir("/d"))
	must(t, f.Rename("/d", "/e"))
	if wd, err := f.Getcwd(); wd != "/e" || err != nil {
		t.Errorf("after a rename: %q, %v", wd, err)
	}
	must(t, f.Rmdir("/e"))
	if _, err := f.Getcwd(); err != syscall.ENOENT {
		t.Errorf("after its removal: %v", err)
	}
	if _, err := f.Open("new", O_CREAT|O_WRONLY, 0o644); err != syscall.ENOENT {
		t.Errorf("a file in a removed directory: %v", err)
	}
	if err := f.Mkdir("../x", 0o755); err != syscall.ENOENT {
		t.Errorf("beside a removed directory: %v", err)
	}
}

func TestFlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New()
		open := func() int {
			fd, err := f.Open("/lock", O_RDWR|O_CREAT, 0o600)
			must(t, err)
			return fd
		}
		a, b := open(), open()
		must(t, f.Flock(a, LOCK_EX))
		if err := f.Flock(b, LOCK_SH|LOCK_NB); err != syscall.EWOULDBLOCK {
			t.Errorf("got %v, want EWOULDBLOCK", err)
		}
		begin := time.Now()
		time.AfterFunc(time.Minute, func() { must(t, f.Close(a)) })
		must(t, f.Flock(b, LOCK_EX))
		if d := time.Since(begin); d != time.Minute {
			t.Errorf("waited %v, want until the holder closed", d)
		}
	})
}

func TestSeed(t *testing.T) {
	f := New()
	must(t, Seed(f))
	for _, name := range []string{"/etc/passwd", "/etc/resolv.conf", "/etc/hosts", "/bin", "/var/run/lock"} {
		if _, err := f.Stat(name, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	fd, err := f.Open("/dev/urandom", O_RDONLY, 0)
	must(t, err)
	b := make([]byte, 32)
	if n, err := f.Read(fd, b); n != 32 || err != nil || strings.Count(string(b), "\x00") > 8 {
		t.Errorf("/dev/urandom: %d, %v, %v", n, err, b)
	}
	if err := f.WriteFile("/dev/null", []byte("gone"), 0); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
	if err := f.WriteFile("/dev/full", []byte("x"), 0); err != syscall.ENOSPC {
		t.Errorf("/dev/full: %v", err)
	}
}
