// Package clusterfile is a cluster as one file: a tar archive with the layout of nodehost's data directory,
//
//	tabernetes.json                     what must be in it, with hashes
//	store/snapshot-…, store/journal-…   the store, in core/store/persist's format
//	cluster/pki/…                       the keys, if they were asked for
//	cluster/configuration.json          the control plane's configuration, if there is one
//
// so that `tar -xf FILE -C DIR` makes what `nodehost serve --control-plane=native --data-dir DIR` goes on
// from, and an archive of such a directory is one, too. Without keys there are no Secrets in it either,
// and no configuration that has any.
//
// It may import core/store and the standard library. A file is a stranger's: it is read whole and checked
// before anything is made of it.
package clusterfile
