package mvcc

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// KV is one version of a key, with the metadata etcd's mvccpb.KeyValue carries.
// Key and Value are immutable and may be shared by any number of readers.
type KV struct {
	Key            string
	Value          string
	CreateRevision int64
	ModRevision    int64
	Version        int64
	Lease          int64
}

// headerLen is the length of the metadata put before each value in buntdb, which
// knows strings only: create revision, mod revision, version, lease.
const headerLen = 4 * 8

// encode returns what is stored in buntdb for kv, and makes kv.Value an alias of
// its tail, so that the bytes are held once by database and history together.
func encode(kv *KV, value []byte) string {
	buf := make([]byte, headerLen+len(value))
	binary.LittleEndian.PutUint64(buf[0:], uint64(kv.CreateRevision))
	binary.LittleEndian.PutUint64(buf[8:], uint64(kv.ModRevision))
	binary.LittleEndian.PutUint64(buf[16:], uint64(kv.Version))
	binary.LittleEndian.PutUint64(buf[24:], uint64(kv.Lease))
	copy(buf[headerLen:], value)
	stored := unsafe.String(&buf[0], len(buf)) // buf is never written again
	kv.Value = stored[headerLen:]
	return stored
}

// decode is the inverse of encode. It copies nothing.
func decode(key, stored string) KV {
	if len(stored) < headerLen {
		panic(fmt.Sprintf("mvcc: value of %q in buntdb is %d bytes, shorter than its header", key, len(stored)))
	}
	h := unsafe.Slice(unsafe.StringData(stored), headerLen)
	return KV{
		Key:            key,
		Value:          stored[headerLen:],
		CreateRevision: int64(binary.LittleEndian.Uint64(h[0:])),
		ModRevision:    int64(binary.LittleEndian.Uint64(h[8:])),
		Version:        int64(binary.LittleEndian.Uint64(h[16:])),
		Lease:          int64(binary.LittleEndian.Uint64(h[24:])),
	}
}

// Change is what one revision did to one key.
type Change struct {
	// KV is the new version. For a deletion it holds the key and the revision
	// of the deletion only.
	KV KV
	// Prev is the version that was replaced or deleted, nil if there was none.
	Prev *KV
	// Delete tells a deletion from a put.
	Delete bool
}

// Record is everything one revision changed, in the order it was done. It is the
// unit of history, of watching, and of a journal.
type Record struct {
	Rev     int64
	Changes []Change
}

// bytesOf returns the bytes of s without copying them. They must not be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
