package nodefs

import (
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// MaxAge is how old a measured usage may be; containerd's snapshotter and cAdvisor measure as
// often.
const MaxAge = 10 * time.Second

// Reserved is the part of the file system that programs cannot have, one in so many: the
// kubelet has to write when a pod has filled the rest, as root on Linux' file systems.
const Reserved = 20

// measureShare bounds the time that is spent on measuring a full file system: one part in so many.
const measureShare = 20

// Usage is what the files of a node take.
type Usage struct {
	Bytes, Inodes uint64
}

// Pool is what the file systems of several nodes are made of: together they hold no more than its
// capacity, however much each could. A nil Pool has no end.
type Pool struct {
	capacity uint64 // bytes

	mu   sync.Mutex
	held uint64
}

// NewPool makes a pool of so many bytes.
func NewPool(bytes uint64) *Pool { return &Pool{capacity: bytes} }

// change replaces what one file system holds; false if there is no room for growth.
func (p *Pool) change(from, to uint64, force bool) bool {
	if p == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if to > from && p.held-from+to > p.capacity && !force {
		return false
	}
	p.held = p.held - from + to
	return true
}

// FS is one node's file system. Its methods may be called from any goroutine.
type FS struct {
	root     string
	capacity Usage
	pool     *Pool

	mu       sync.Mutex
	measured Usage
	at       time.Time     // when it was measured; zero for never
	took     time.Duration // to measure
	since    Usage         // reserved since

	inodes inodes
}

var _ program.Disk = (*FS)(nil)

// Sized is the capacity of a file system of so many bytes: with an inode for each 4 KiB, and no
// more than about a million.
func Sized(bytes uint64) Usage { return Usage{Bytes: bytes, Inodes: min(bytes/4096, 1<<20)} }

// New is the file system below root with capacity for so many bytes and inodes, out of pool.
func New(root string, capacity Usage, pool *Pool) *FS {
	return &FS{root: root, capacity: capacity, pool: pool}
}

// Capacity is how much it can hold.
func (f *FS) Capacity() Usage { return f.capacity }

// Usage is what its files take, at most MaxAge old. What goes away while it is counted does not
// count. Of one that is all but full it is as new as measuring allows: the kubelet evicts by it, and looks again
// as soon as a pod has gone, when another one would go for what the first one held.
func (f *FS) Usage() Usage {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.IsZero() || time.Since(f.at) >= MaxAge || f.nearlyFull() && f.mayMeasure() {
		f.measure()
	}
	return f.measured
}

// Reserve implements program.Disk. Everything written counts as if it were new, until it is
// measured again.
func (f *FS) Reserve(bytes int64, entries int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.IsZero() {
		f.measure()
	}
	if f.take(bytes, entries) {
		return nil
	}
	if f.mayMeasure() {
		f.measure()
	}
	if f.take(bytes, entries) {
		return nil
	}
	return syscall.ENOSPC
}

// mayMeasure says whether so little time went into measuring that it may be done again. The caller holds mu.
func (f *FS) mayMeasure() bool { return time.Since(f.at) > measureShare*f.took+100*time.Millisecond }

// nearlyFull is a file system at which the kubelet may act: upstream's thresholds begin with less than 15 % free.
// The caller holds mu.
func (f *FS) nearlyFull() bool {
	used := Usage{f.measured.Bytes + f.since.Bytes, f.measured.Inodes + f.since.Inodes}
	return used.Bytes > f.capacity.Bytes/4*3 || used.Inodes > f.capacity.Inodes/4*3
}

// Removed implements program.Disk.
func (f *FS) Removed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.took = 0
	f.at = f.at.Add(-time.Second)
}

// take reserves if there is room: bytes need no inode, nor entries bytes, and what the kubelet and the runtime
// make is never refused, so that there may be more than capacity of either. The caller holds mu.
func (f *FS) take(bytes int64, entries int) bool {
	since := Usage{f.since.Bytes + uint64(max(bytes, 0)), f.since.Inodes + uint64(max(entries, 0))}
	if bytes > 0 && f.measured.Bytes+since.Bytes > f.capacity.Bytes-f.capacity.Bytes/Reserved ||
		entries > 0 && f.measured.Inodes+since.Inodes > f.capacity.Inodes-f.capacity.Inodes/Reserved ||
		!f.pool.change(f.measured.Bytes+f.since.Bytes, f.measured.Bytes+since.Bytes, false) {
		return false
	}
	f.since = since
	return true
}

// measure counts regular files' bytes and all entries. The caller holds mu.
func (f *FS) measure() {
	start := time.Now()
	var sum Usage
	f.inodes.begin()
	_ = filepath.WalkDir(f.root, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // gone meanwhile
		}
		sum.Inodes++
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // so, too
		}
		f.inodes.met(info)
		if info.Mode().IsRegular() {
			sum.Bytes += uint64(info.Size())
		}
		return nil
	})
	f.inodes.end()
	f.pool.change(f.measured.Bytes+f.since.Bytes, sum.Bytes, true)
	f.measured, f.since = sum, Usage{}
	f.at = time.Now()
	f.took = f.at.Sub(start)
}
