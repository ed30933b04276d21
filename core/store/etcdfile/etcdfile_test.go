//go:build !js

package etcdfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/etcdfile"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/scripts/etcdtest"
)

// fill writes something of everything and ends with a deletion.
func fill(t *testing.T, c *kubernetes.Client) {
	t.Helper()
	lease, err := c.Grant(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		key := fmt.Sprintf("/registry/pods/default/p-%d", i%40)
		opts := []clientv3.OpOption{}
		if i%7 == 0 {
			opts = append(opts, clientv3.WithLease(lease.ID))
		}
		if _, err := c.Put(t.Context(), key, fmt.Sprint("value ", i), opts...); err != nil {
			t.Fatal(err)
		}
	}
	// Two keys of one revision, then deletions.
	if _, err := c.Txn(t.Context()).Then(clientv3.OpPut("b", ""), clientv3.OpPut("a", "x")).Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Delete(t.Context(), "/registry/pods/default/p-1", clientv3.WithPrefix()); err != nil {
		t.Fatal(err)
	}
}

// contents is what a client sees, revisions and leases included.
func contents(t *testing.T, c *kubernetes.Client) mvcc.State {
	t.Helper()
	resp, err := c.KV.Get(t.Context(), "\x00", clientv3.WithFromKey())
	if err != nil {
		t.Fatal(err)
	}
	s := mvcc.State{Rev: resp.Header.Revision}
	for _, kv := range resp.Kvs {
		s.KVs = append(s.KVs, mvcc.KV{
			Key: string(kv.Key), Value: string(kv.Value),
			CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease,
		})
	}
	leases, err := c.Leases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leases.Leases {
		ttl, err := c.TimeToLive(t.Context(), l.ID)
		if err != nil {
			t.Fatal(err)
		}
		s.Leases = append(s.Leases, mvcc.LeaseGrant{ID: int64(l.ID), TTL: ttl.GrantedTTL})
	}
	return s
}

func same(t *testing.T, what string, got, want mvcc.State) {
	t.Helper()
	if got.Rev != want.Rev || !slices.Equal(got.Leases, want.Leases) || !reflect.DeepEqual(got.KVs, want.KVs) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func openStore(t *testing.T, initial *mvcc.State) (*store.Store, *kubernetes.Client) {
	t.Helper()
	s, err := store.Open(store.Options{Initial: initial})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Client()
	t.Cleanup(func() { _ = c.Close(); _ = s.Close() })
	return s, c
}

func startEtcd(t *testing.T, dir string) *kubernetes.Client {
	t.Helper()
	e, err := etcdtest.Start(etcdtest.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Client()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); e.Close() })
	return c
}

// TestToEtcd: a store's snapshot is restored by etcd's own tool and served by etcd.
func TestToEtcd(t *testing.T) {
	s, c := openStore(t, nil)
	fill(t, c)
	want := contents(t, c)
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "snapshot.db")
	if err := etcdfile.Write(file, state); err != nil {
		t.Fatal(err)
	}
	if err := etcdfile.Write(file, state); !errors.Is(err, os.ErrExist) {
		t.Errorf("written over: %v", err)
	}
	again, err := etcdfile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "read again", again, want)

	dir := filepath.Join(t.TempDir(), "etcd")
	if err := etcdtest.Restore(file, dir); err != nil {
		t.Fatal(err)
	}
	e := startEtcd(t, dir)
	same(t, "in etcd", contents(t, e), want)
	if _, err := e.KV.Get(t.Context(), "a", clientv3.WithRev(want.Rev-1)); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Errorf("a read of what was before: %v, want compacted", err)
	}
	put, err := e.Kubernetes.OptimisticPut(t.Context(), "a", []byte("y"), want.Rev-1, kubernetes.PutOptions{})
	if err != nil || !put.Succeeded || put.Revision != want.Rev+1 {
		t.Errorf("the next write: %+v, %v", put, err)
	}
	if _, err := e.Revoke(t.Context(), clientv3.LeaseID(want.Leases[0].ID)); err != nil {
		t.Fatal(err)
	}
	for _, kv := range contents(t, e).KVs {
		if kv.Lease != 0 {
			t.Errorf("%s outlives its lease", kv.Key)
		}
	}
}

// TestFromEtcd: a snapshot of an etcd, with history in it, is what a store begins with.
func TestFromEtcd(t *testing.T) {
	e := startEtcd(t, t.TempDir())
	fill(t, e)
	want := contents(t, e)
	r, err := e.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "snapshot.db")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	state, err := etcdfile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	_, c := openStore(t, &state)
	same(t, "in the store", contents(t, c), want)
	if _, err := c.KV.Get(t.Context(), "a", clientv3.WithRev(want.Rev-1)); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Errorf("a read of what was before: %v, want compacted", err)
	}

	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := etcdfile.Read(file); !errors.Is(err, etcdfile.ErrDigest) {
		t.Errorf("a damaged file: %v", err)
	}
	if err := os.WriteFile(file, []byte("not a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := etcdfile.Read(file); err == nil {
		t.Error("read what is no database")
	}
}
