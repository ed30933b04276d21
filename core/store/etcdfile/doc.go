// Package etcdfile reads and writes etcd's snapshot files, those of `etcdctl
// snapshot save`, so that a cluster can move from core/store to an etcd cluster
// and back. Revisions, versions and leases stay; history does not: what was before
// is compacted.
//
//	etcdfile.Write("cluster.db", state)          // then: etcdutl snapshot restore cluster.db
//	state, err := etcdfile.Read("cluster.db")    // then: store.Options{Initial: &state}
//
// The format is etcd's bbolt database (server/storage/schema/bucket.go,
// server/storage/mvcc/revision.go) with the SHA-256 of the file behind it.
//
// It works natively only: bbolt maps files into memory, which js cannot. It may
// import bbolt, etcd's protobuf packages and core/store/mvcc, and must not import
// etcd's server beyond the messages of leases.
package etcdfile
