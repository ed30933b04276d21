package nodedir

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrRuns says that a nodehost runs for this place.
var ErrRuns = errors.New("a node runs already")

// Lock keeps other nodehosts off the place until release, or the process ends. If one is there, the
// error is ErrRuns and pid is its process.
// The caller has checked whose the directory is.
func (p Place) Lock() (release func(), pid int, err error) {
	if err := os.MkdirAll(p.Run, 0o711); err != nil {
		return nil, 0, fmt.Errorf("lock %s: %w", p.Run, err)
	}
	f, err := os.OpenFile(p.lockFile(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("lock %s: %w", p.Run, err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		b, _ := os.ReadFile(p.lockFile())
		_ = f.Close()
		pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
		return nil, pid, fmt.Errorf("%w in %s (process %d)", ErrRuns, p.Run, pid)
	}
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err == nil {
		err = mark(p.Run)
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, fmt.Errorf("lock %s: %w", p.Run, err)
	}
	return func() { _ = f.Close() }, 0, nil
}
