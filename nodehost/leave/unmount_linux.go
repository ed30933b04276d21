package leave

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
	"k8s.io/mount-utils"
)

// unmountBelow unmounts everything below the directories, the deepest first.
func unmountBelow(dirs ...string) error {
	mounts, err := mount.ListProcMounts("/proc/self/mounts")
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range slices.Backward(mounts) {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(m.Path, filepath.Clean(dir)+"/") }) {
			continue
		}
		if err := unix.Unmount(m.Path, unix.UMOUNT_NOFOLLOW); err != nil {
			if err := unix.Unmount(m.Path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
				errs = append(errs, fmt.Errorf("unmount %s: %w", m.Path, err))
			}
		}
	}
	return errors.Join(errs...)
}
