//go:build unix

package persist

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPatience is how long the lock is waited for. The kernel gives a killed process's lock back
// only when the last of its threads is gone and its memory torn down, and whoever starts a cluster
// again right after a kill has seen the process end before that.
const lockPatience = 5 * time.Second

// lockFile takes the file for this process; the kernel gives it back however the
// process ends.
func lockFile(f *os.File) error {
	for end := time.Now().Add(lockPatience); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(end) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}
