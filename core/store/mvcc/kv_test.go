package mvcc

import "testing"

// FuzzKV: what is put before a value in buntdb is read as it was written.
func FuzzKV(f *testing.F) {
	f.Add("k", []byte("v"), int64(3), int64(7), int64(2), int64(0))
	f.Add("/registry/pods/default/web", []byte(nil), int64(1)<<62, int64(1)<<62+1, int64(1), int64(-1))
	f.Fuzz(func(t *testing.T, key string, value []byte, create, mod, version, lease int64) {
		kv := KV{Key: key, CreateRevision: create, ModRevision: mod, Version: version, Lease: lease}
		stored := encode(&kv, value)
		if kv.Value != string(value) || len(stored) != headerLen+len(value) {
			t.Fatalf("encoding %x gives %x in %d bytes", value, kv.Value, len(stored))
		}
		if got := decode(key, stored); got != kv {
			t.Fatalf("%+v, want %+v", got, kv)
		}
		clear(value) // it is the caller's
		if got := decode(key, stored); got != kv {
			t.Fatal("the value is shared with who wrote it")
		}
	})
}
