// Package systemd has on js what upstream's manager of a node's shutdown names of it.
package systemd

// InhibitLock names a lock that holds up a shutdown. On Linux it is a file's descriptor.
type InhibitLock uint32
