package fs

import (
	"io/fs"
	"path/filepath"
	"runtime/metrics"
)

// The files are in linear memory, which has at most 4 GiB; how many there are is not limited.
const (
	capacity = 4 << 30
	files    = 1 << 20
)

// Info is of the one file system there is: what linear memory can still grow by is free.
func Info(string) (available, size, usage, inodes, inodesFree, inodesUsed int64, err error) {
	mapped := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(mapped)
	usage = min(int64(mapped[0].Value.Uint64()), capacity)
	return capacity - usage, capacity, usage, files, files, 0, nil
}

// DiskUsage counts a file, or a directory with all below it. What vanishes meanwhile is no error.
func DiskUsage(path string) (sum UsageInfo, err error) {
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			if name == path {
				return err
			}
			return nil
		}
		sum.Inodes++
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			sum.Bytes += info.Size()
		}
		return nil
	})
	return sum, err
}

// UsageInfo is upstream's.
type UsageInfo struct {
	Bytes  int64
	Inodes int64
}
