// Package datadir is the directory in which a native cluster is kept, and what can be done with it
// while the cluster does not run: checking and repairing its store, and moving what is in it to an
// etcd and back.
//
//	DIR/store    the store (core/store/persist), if the cluster has one of its own
//	DIR/cluster  keys with kubeadm's names (pki), the nodes' files
//
// It may import core/store and its parts; it must never start anything.
package datadir
