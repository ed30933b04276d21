package program

import "io/fs"

// Disk is the file system that the files of an FS are on: that of a node.
type Disk interface {
	// Reserve is asked before bytes are written and before an entry of a directory is made.
	// The error is ENOSPC.
	Reserve(bytes int64, entries int) error
	// Removed says that a whole tree has been removed, a container's: it is measured again
	// before there is no space.
	Removed()
	// Attributes are what the operating system's file host, which info describes, is to programs:
	// what SetAttributes has said, unless the file itself was changed since (the kubelet does), else
	// what the file says, with whoever runs us as root.
	Attributes(host string, info fs.FileInfo) Attributes
	// SetAttributes keeps what the file is to programs. The operating system's file stays whose it is,
	// so that no right of this machine is needed or given.
	SetAttributes(host string, info fs.FileInfo, to Attributes)
}

// On says where the files of f are, and whom its open files count for; before f is used.
func (f *FS) On(disk Disk, cgroup *Cgroup) *FS {
	f.disk, f.cgroup = disk, cgroup
	return f
}

func (f *FS) reserve(bytes int64, entries int) error {
	if f.disk == nil || bytes <= 0 && entries <= 0 {
		return nil
	}
	return f.disk.Reserve(bytes, entries)
}

// makeEntry is what every call asks that adds a name to a directory.
func (f *FS) makeEntry() error { return f.reserve(0, 1) }
