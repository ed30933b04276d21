//go:build !linux

package nodefs

// born is 0: the tab's inode numbers are not used again (wasm/memfs).
func born(string, inode) int64 { return 0 }
