// Package mounttable is a node's mounter: the mount.Interface of
// k8s.io/mount-utils, kept in a table in memory.
//
// The kubelet mounts for two reasons, and both are met without a kernel:
//
//   - a fresh, empty directory that goes away with its contents (tmpfs, for
//     secrets, projected volumes and emptyDir in memory): the directory itself
//     serves, and Unmount empties it;
//   - the same tree at a second path (bind): the target directory becomes a
//     symbolic link to the source, and Unmount puts the directory back.
//
// Everything else (device file systems, NFS) is refused with ErrUnsupported.
//
// It imports the standard library and mount-utils. It must never call the
// operating system's mount, nor touch a path outside the root it was made for.
package mounttable
