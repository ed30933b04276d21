package machine

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	cadvisorapiv2 "github.com/google/cadvisor/info/v2"
)

// inodes is the number of files the node's file system could hold; none of the
// real ones (the tab's memory, a temporary directory) has a limit of its own.
const inodes = 1 << 20

type diskUsage struct {
	bytes, files uint64
}

// RootFsInfo tells of the node's one file system: its size is the node's
// ephemeral storage, its usage that of the node's directory.
func (m *Machine) RootFsInfo() (cadvisorapiv2.FsInfo, error) {
	used := m.diskUsage()
	total, free := uint64(inodes), uint64(inodes)-min(used.files, inodes)
	return cadvisorapiv2.FsInfo{
		Timestamp:  time.Now(),
		Device:     rootDevice,
		Mountpoint: "/",
		Capacity:   m.opts.EphemeralStorageBytes,
		Available:  m.opts.EphemeralStorageBytes - min(used.bytes, m.opts.EphemeralStorageBytes),
		Usage:      used.bytes,
		Inodes:     &total,
		InodesFree: &free,
	}, nil
}

// ImagesFsInfo is RootFsInfo: images have no file system of their own.
func (m *Machine) ImagesFsInfo(context.Context) (cadvisorapiv2.FsInfo, error) { return m.RootFsInfo() }

// ContainerFsInfo is RootFsInfo: writable layers have no file system of their own.
func (m *Machine) ContainerFsInfo(context.Context) (cadvisorapiv2.FsInfo, error) {
	return m.RootFsInfo()
}

// GetDirFsInfo is RootFsInfo for any path: there is one file system.
func (m *Machine) GetDirFsInfo(string) (cadvisorapiv2.FsInfo, error) { return m.RootFsInfo() }

// diskUsage counts the node's directory, at most once in usageMaxAge. Files
// that vanish while it counts are not an error: a node is never still.
func (m *Machine) diskUsage() diskUsage {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.usageAge.IsZero() && time.Since(m.usageAge) < usageMaxAge {
		return m.usage
	}
	var sum diskUsage
	_ = filepath.WalkDir(m.opts.RootDir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		sum.files++
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			sum.bytes += uint64(info.Size())
		}
		return nil
	})
	m.usage, m.usageAge = sum, time.Now()
	return sum
}
