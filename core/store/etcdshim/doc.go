// Package etcdshim makes an mvcc.Engine look like an etcd cluster to Go code that
// holds an etcd client: NewClient returns a *kubernetes.Client whose KV, Watcher,
// Lease, Maintenance and Kubernetes parts call the engine in the same process.
//
// Nothing is marshalled and no goroutine stands between a call and the engine;
// each watch has the one goroutine that fills its channel. KV goes through
// clientv3's own request building (clientv3.NewKVFromKVClient) so that options
// mean what they mean to etcd; Kubernetes, which is what storage uses per request,
// goes to the engine directly. Because of that, a wrapper around client.KV does
// not see the calls made through client.Kubernetes.
//
// Keys and values in responses share memory with the store: they are read-only,
// as everything Kubernetes gets from etcd is by custom. Their capacity equals
// their length, so appending copies.
//
// The package may import go.etcd.io/etcd's api and client (no other package
// imports the client) and core/store/mvcc. It must never open a connection, and never import buntdb or
// Kubernetes. Clients made here have no endpoints, no Cluster and no Auth part.
package etcdshim
