// Package subpath gives a container one file or directory of a volume
// (volumeMounts[].subPath), as k8s.io/kubernetes/pkg/volume/util/subpath does
// on Linux, over plain directories.
//
// What upstream guarantees is kept:
//
//   - a subpath that leaves its volume, by ".." or by a symbolic link that the
//     pod itself may have planted, is refused;
//   - what was resolved stays: upstream bind-mounts the resolved inode, so a
//     ConfigMap's file mounted by subPath does not change on update. Here a hard
//     link pins a file; a directory is given by its resolved path.
//
// It imports the standard library, the upstream interface and core/program, which reads
// programs' links. It must never
// follow a symbolic link out of the volume it was given.
package subpath
