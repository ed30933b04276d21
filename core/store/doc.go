// Package store is the cluster's etcd: an in-memory store (core/store/mvcc, on
// buntdb), kept in files if wanted (core/store/persist), behind etcd's client interfaces (core/store/etcdshim), put in place of
// a real etcd by Install, so that upstream's storage (k8s.io/apiserver's etcd3,
// its cacher, compactor, probes, and the raw storages of the service allocators)
// runs on it unmodified.
//
//	s, err := store.Open(store.Options{})
//	defer s.Close()
//	defer store.Install(s)()
//	// and pass s.Endpoint() as the only etcd server
//
// The package may import k8s.io/apiserver's storage packages and its own
// subpackages (not etcd's client: etcdshim names it). It must not import anything above it in core,
// nothing from wasm or nodehost, and must not look into the objects it stores.
package store
