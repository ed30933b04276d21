// Package hostpath is upstream's hostPath volume, and its local PersistentVolume, with the node's
// own root directory as the host: hostPath /data on node-1 is <root of node-1>/data, and
// no pod can name a path of the machine the node runs on.
//
// It imports upstream's plugins and decorates them, and core/program, which reads programs' links. It must never hand a path out
// that lies outside of the node's root, symbolic links included. A link that is put there
// afterwards is sealed (docs/adr/0040-links-of-programs-are-sealed.md), and who opens the path stays within
// the root as well: core/node/cri, core/node/mounttable.
package hostpath
