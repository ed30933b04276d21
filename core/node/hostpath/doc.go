// Package hostpath is upstream's hostPath volume with the node's own root
// directory as the host: hostPath /data on node-1 is <root of node-1>/data, and
// no pod can name a path of the machine the node runs on.
//
// It imports upstream's plugin and decorates it. It must never hand a path out
// that lies outside of the node's root, symbolic links included.
package hostpath
