package configuration_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// loggedTo keeps what the process writes to its standard error from now on, whatever logger it has by then: upstream's
// components set one of their own. It comes out when the test ends.
func loggedTo(t *testing.T) (all func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stderr")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Dup3(int(file.Fd()), 2, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Dup3(kept, 2, 0); err != nil {
			t.Error(err)
		}
		_, _ = file.Seek(0, io.SeekStart)
		_, _ = io.Copy(os.Stderr, file)
		_ = unix.Close(kept)
		_ = file.Close()
	})
	return func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
}
