// Package etcdtest starts a real etcd in this process, for tests and measurements
// that compare core/store with it. Nothing that is built for users may import it:
// it brings etcd's whole server.
package etcdtest
