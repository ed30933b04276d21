package nodefs

import "golang.org/x/sys/unix"

// born is when the file that the inode is was made, in ns since 1970, or 0 if nobody knows. A
// file that is not at host any more, but open, is taken for what it was.
func born(host string, id inode) int64 {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, host, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME|unix.STATX_INO, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 || st.Ino != id.number {
		return 0
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
}
