package hostutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	upstream "k8s.io/kubernetes/pkg/volume/util/hostutil"
)

// HostUtil implements upstream.HostUtils. The zero value is ready.
type HostUtil struct{}

var _ upstream.HostUtils = HostUtil{}

// DeviceOpened is always false: no device is ever mounted on an in-tab node.
func (HostUtil) DeviceOpened(string) (bool, error) { return false, nil }

// PathIsDevice reports whether pathname is a device file.
func (HostUtil) PathIsDevice(pathname string) (bool, error) {
	info, err := os.Stat(pathname)
	if err != nil {
		return false, err
	}
	return info.Mode()&fs.ModeDevice != 0, nil
}

// MakeRShared has nothing to do: without kernel mounts every mount is seen by all.
func (HostUtil) MakeRShared(string) error { return nil }

// GetFileType follows symbolic links, as upstream's does.
func (HostUtil) GetFileType(pathname string) (upstream.FileType, error) {
	info, err := os.Stat(pathname)
	if err != nil {
		return upstream.FileTypeUnknown, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return upstream.FileTypeDirectory, nil
	case mode.IsRegular():
		return upstream.FileTypeFile, nil
	case mode&fs.ModeSocket != 0:
		return upstream.FileTypeSocket, nil
	case mode&fs.ModeCharDevice != 0:
		return upstream.FileTypeCharDev, nil
	case mode&fs.ModeDevice != 0:
		return upstream.FileTypeBlockDev, nil
	default:
		return upstream.FileTypeUnknown, fmt.Errorf("%s: neither file, directory, socket nor device", pathname)
	}
}

// PathExists is false without an error only if the path is absent.
func (HostUtil) PathExists(pathname string) (bool, error) {
	_, err := os.Stat(pathname)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// EvalHostSymlinks resolves all symbolic links of pathname.
func (HostUtil) EvalHostSymlinks(pathname string) (string, error) {
	return filepath.EvalSymlinks(pathname)
}

// GetOwner returns user and group of pathname; 0 and 0 where the file system
// keeps no owners.
func (HostUtil) GetOwner(pathname string) (uid, gid int64, err error) {
	info, err := os.Stat(pathname)
	if err != nil {
		return -1, -1, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Uid), int64(st.Gid), nil
	}
	return 0, 0, nil
}

// GetSELinuxSupport is always false.
func (HostUtil) GetSELinuxSupport(string) (bool, error) { return false, nil }

// GetMode returns the mode of pathname, symbolic links followed.
func (HostUtil) GetMode(pathname string) (os.FileMode, error) {
	info, err := os.Stat(pathname)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// GetSELinuxMountContext is always empty: SELinux is not supported.
func (HostUtil) GetSELinuxMountContext(string) (string, error) { return "", nil }
