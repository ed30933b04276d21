//go:build !js

package etcdfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/server/v3/lease/leasepb"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// Names in the database (etcd: server/storage/schema/bucket.go).
var (
	bucketKey   = []byte("key")
	bucketMeta  = []byte("meta")
	bucketLease = []byte("lease")

	// Buckets that etcd expects to be there.
	emptyBuckets = []string{"alarm", "auth", "authRoles", "authUsers", "cluster", "members", "members_removed"}

	metaCompacted      = []byte("finishedCompactRev")
	metaStorageVersion = []byte("storageVersion")
)

// storageVersion is that of the etcd whose format is written.
const storageVersion = "3.6.0"

// Write writes a state as a snapshot file, which must not exist.
func Write(path string, s mvcc.State) error {
	if err := write(path, s); err != nil {
		return fmt.Errorf("write etcd snapshot %s: %w", path, err)
	}
	return nil
}

func write(path string, s mvcc.State) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(os.ErrExist, err)
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(path)
		}
	}()
	if err := errors.Join(db.Update(func(tx *bbolt.Tx) error { return fill(tx, s) }), db.Close()); err != nil {
		return err
	}
	return seal(path)
}

// seal appends the file's digest, by which `etcdutl snapshot restore` checks it,
// and puts it on disk.
func seal(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	digest := sha256.New()
	_, err = io.Copy(digest, f)
	if err == nil {
		_, err = f.Write(digest.Sum(nil))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func fill(tx *bbolt.Tx, s mvcc.State) error {
	for _, name := range emptyBuckets {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	meta, err := tx.CreateBucket(bucketMeta)
	if err != nil {
		return err
	}
	if err := meta.Put(metaStorageVersion, []byte(storageVersion)); err != nil {
		return err
	}
	// What was before s is not there; this also says which revision s is at,
	// since the last may have been a deletion.
	if err := meta.Put(metaCompacted, revisionKey(s.Rev, 0)); err != nil {
		return err
	}
	if err := fillLeases(tx, s.Leases); err != nil {
		return err
	}
	return fillKeys(tx, s.KVs)
}

func fillLeases(tx *bbolt.Tx, leases []mvcc.LeaseGrant) error {
	b, err := tx.CreateBucket(bucketLease)
	if err != nil {
		return err
	}
	for _, l := range leases {
		value, err := (&leasepb.Lease{ID: l.ID, TTL: l.TTL}).Marshal()
		if err != nil {
			return err
		}
		if err := b.Put(binary.BigEndian.AppendUint64(nil, uint64(l.ID)), value); err != nil {
			return err
		}
	}
	return nil
}

// fillKeys writes each key under its revision, with a number of its own among those
// of the same.
func fillKeys(tx *bbolt.Tx, kvs []mvcc.KV) error {
	b, err := tx.CreateBucket(bucketKey)
	if err != nil {
		return err
	}
	b.FillPercent = 0.9 // as etcd does for keys that only grow
	kvs = slices.Clone(kvs)
	slices.SortFunc(kvs, func(x, y mvcc.KV) int {
		return cmp.Or(cmp.Compare(x.ModRevision, y.ModRevision), cmp.Compare(x.Key, y.Key))
	})
	last, sub := int64(0), int64(0)
	for i := range kvs {
		kv := &kvs[i]
		if sub++; kv.ModRevision != last {
			last, sub = kv.ModRevision, 0
		}
		value, err := (&mvccpb.KeyValue{
			Key:            []byte(kv.Key),
			Value:          []byte(kv.Value),
			CreateRevision: kv.CreateRevision,
			ModRevision:    kv.ModRevision,
			Version:        kv.Version,
			Lease:          kv.Lease,
		}).Marshal()
		if err != nil {
			return err
		}
		if err := b.Put(revisionKey(kv.ModRevision, sub), value); err != nil {
			return err
		}
	}
	return nil
}

// revisionKey is a revision as etcd writes it (server/storage/mvcc/revision.go).
func revisionKey(main, sub int64) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(main))
	return binary.BigEndian.AppendUint64(append(b, '_'), uint64(sub))
}
