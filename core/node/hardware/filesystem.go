package hardware

import (
	"context"
	"time"

	cadvisorapiv2 "github.com/google/cadvisor/info/v2"
)

// RootFsInfo tells of the node's one file system: its size is the node's
// ephemeral storage, its usage that of the node's directory.
func (m *Simulated) RootFsInfo() (cadvisorapiv2.FsInfo, error) {
	used, capacity := m.opts.Disk.Usage(), m.opts.Disk.Capacity()
	total, free := capacity.Inodes, capacity.Inodes-min(used.Inodes, capacity.Inodes)
	return cadvisorapiv2.FsInfo{
		Timestamp:  time.Now(),
		Device:     rootDevice,
		Mountpoint: "/",
		Capacity:   capacity.Bytes,
		Available:  capacity.Bytes - min(used.Bytes, capacity.Bytes),
		Usage:      used.Bytes,
		Inodes:     &total,
		InodesFree: &free,
	}, nil
}

// ImagesFsInfo is RootFsInfo: images have no file system of their own.
func (m *Simulated) ImagesFsInfo(context.Context) (cadvisorapiv2.FsInfo, error) {
	return m.RootFsInfo()
}

// ContainerFsInfo is RootFsInfo: writable layers have no file system of their own.
func (m *Simulated) ContainerFsInfo(context.Context) (cadvisorapiv2.FsInfo, error) {
	return m.RootFsInfo()
}

// GetDirFsInfo is RootFsInfo for any path: there is one file system.
func (m *Simulated) GetDirFsInfo(string) (cadvisorapiv2.FsInfo, error) { return m.RootFsInfo() }
