//go:build !js

package etcdfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/server/v3/lease/leasepb"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// ErrDigest is returned for a file that is not as it was written.
var ErrDigest = errors.New("etcdfile: the file does not fit the digest at its end: copy it anew")

// errFormat is returned for a file that is no etcd's.
var errFormat = errors.New("etcdfile: it is not a snapshot of an etcd 3")

// Read reads the latest state from a snapshot file, or from the database of an etcd
// that is not running (member/snap/db).
func Read(path string) (s mvcc.State, err error) {
	if err := checkDigest(path); err != nil {
		return s, fmt.Errorf("read etcd snapshot %s: %w", path, err)
	}
	db, err := bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return s, fmt.Errorf("read etcd snapshot %s: %w", path, err)
	}
	defer db.Close()
	if err := db.View(func(tx *bbolt.Tx) error { return read(tx, &s) }); err != nil {
		return s, fmt.Errorf("read etcd snapshot %s: %w", path, err)
	}
	return s, nil
}

// checkDigest verifies the digest of a file that has one: then its length is not
// one of pages.
func checkDigest(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size()%512 != sha256.Size {
		return err
	}
	digest, want := sha256.New(), make([]byte, sha256.Size)
	if _, err := io.CopyN(digest, f, info.Size()-sha256.Size); err != nil {
		return err
	}
	if _, err := io.ReadFull(f, want); err != nil {
		return err
	}
	if !bytes.Equal(digest.Sum(nil), want) {
		return ErrDigest
	}
	return nil
}

func read(tx *bbolt.Tx, s *mvcc.State) error {
	keys, meta, leases := tx.Bucket(bucketKey), tx.Bucket(bucketMeta), tx.Bucket(bucketLease)
	if keys == nil || meta == nil {
		return errFormat
	}
	s.Rev = 1
	if compacted := meta.Get(metaCompacted); len(compacted) >= 8 {
		s.Rev = max(s.Rev, int64(binary.BigEndian.Uint64(compacted)))
	}
	latest := map[string]mvcc.KV{}
	err := keys.ForEach(func(revision, value []byte) error {
		if len(revision) < 17 || revision[8] != '_' {
			return fmt.Errorf("%w: a revision of %d bytes", errFormat, len(revision))
		}
		var kv mvccpb.KeyValue
		if err := kv.Unmarshal(value); err != nil {
			return fmt.Errorf("%w: %w", errFormat, err)
		}
		s.Rev = max(s.Rev, int64(binary.BigEndian.Uint64(revision)))
		if len(revision) > 17 { // marked as a deletion
			delete(latest, string(kv.Key))
			return nil
		}
		latest[string(kv.Key)] = mvcc.KV{
			Key:            string(kv.Key),
			Value:          string(kv.Value),
			CreateRevision: kv.CreateRevision,
			ModRevision:    kv.ModRevision,
			Version:        kv.Version,
			Lease:          kv.Lease,
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.KVs = slices.SortedFunc(maps.Values(latest), func(a, b mvcc.KV) int { return strings.Compare(a.Key, b.Key) })
	if leases == nil {
		return nil
	}
	return leases.ForEach(func(_, value []byte) error {
		var l leasepb.Lease
		if err := l.Unmarshal(value); err != nil {
			return fmt.Errorf("%w: %w", errFormat, err)
		}
		s.Leases = append(s.Leases, mvcc.LeaseGrant{ID: l.ID, TTL: l.TTL})
		return nil
	})
}
