package leave

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// mountPoints are where something is mounted, the first mounted first, as the kernel names them: without
// links.
func mountPoints() ([]*mountinfo.Info, error) {
	mounts, err := mountinfo.GetMounts(nil)
	if err != nil {
		return nil, fmt.Errorf("list what is mounted: %w", err)
	}
	return mounts, nil
}

// visible says whether what is at the mount point is this mount: another one may hide it, or a directory
// above. If the kernel does not say, it is.
func visible(m *mountinfo.Info) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, m.Mountpoint, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &st)
	if err != nil {
		return !errors.Is(err, unix.ENOENT)
	}
	return st.Mask&unix.STATX_MNT_ID == 0 || st.Mnt_id == uint64(m.ID)
}

// unmountBelow unmounts everything below the directories, the last mounted first. What is mounted at one
// of them is its owner's.
func unmountBelow(dirs ...string) error {
	mounts, err := mountPoints()
	if err != nil {
		return err
	}
	for i := range dirs {
		dirs[i] = nodedir.Real(dirs[i]) + "/"
	}
	var errs []error
	for _, m := range slices.Backward(mounts) {
		point := m.Mountpoint
		if !slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(point, dir) }) || !visible(m) {
			continue
		}
		if err := unix.Unmount(point, unix.UMOUNT_NOFOLLOW); err != nil {
			if err := unix.Unmount(point, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
				errs = append(errs, fmt.Errorf("unmount %s: %w", point, err))
			}
		}
	}
	return errors.Join(errs...)
}
