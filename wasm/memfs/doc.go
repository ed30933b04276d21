// Package memfs is a file system in memory with the semantics of Linux' as root sees it: what
// lies under package os in the tab, where GOROOT's syscall has JavaScript's, or none. Its files
// live in Go's linear memory, so that a snapshot of the memory is a snapshot of the files.
//
// It speaks in descriptors, flags, modes and errnos (package syscall's, with js' values for
// flags), so that package os above it behaves as it does on Linux: unlinked files stay readable
// while they are open, a rename replaces at once.
//
// What it leaves out: permission checks (there is one user, root), access times, and devices
// other than null, zero, full and random, and pipes: nothing that is linked makes one.
//
// Importing it on js installs it (install_js.go), filled as Seed says; everywhere else it is a plain
// library, which its tests compare with the real thing. It may import the standard library and
// wasm/goroot, and it must never call package os, which lies above it.
package memfs
