// Package keptdisk keeps what lies on the disks of in-tab nodes where their files are in memory, as they
// are in the tab: it looks for what has changed, appends that to one file of a persist.Sink, and puts
// it back when the cluster starts again.
//
// The file is disk-N: a magic number, and records with a checksum each. What is on it is what a disk has
// after a loss of power: all that was there some moments before, of a file in the middle of a write
// perhaps only a part. When more of it is past than present, disk-N+1 is begun, and disk-N removed once
// that is complete.
//
// It may import core/store/persist, core/node/nodefs and core/program. It must never follow a link that a pod has
// made, nor take a file's content for anything but bytes.
package keptdisk
