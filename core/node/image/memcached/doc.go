// Package memcached is the program of the image memcached: its text protocol (github.com/memcached/memcached,
// doc/protocol.txt), with the memory that -m gives it, out of which what was not used for longest falls.
//
//	main.go      the command line, the port, the end
//	session.go   one connection: its commands, within bounds
//	cache.go     what is kept
//
// There are the storage and retrieval commands, cas, incr and decr, touch, flush_all, stats, version and
// verbosity. The binary and the meta protocol are not there.
//
// The package may import the standard library and core/program. It must never import Kubernetes or the
// runtime.
package memcached
