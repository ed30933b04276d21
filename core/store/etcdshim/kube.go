package etcdshim

import (
	"context"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

var _ kubernetes.Interface = (*kube)(nil)

// kube is the five calls apiserver storage makes, straight to the engine
// (etcd: client/v3/kubernetes/client.go says what they mean).
type kube struct {
	*handle
	watches *watcher // of the same client
}

// Get implements kubernetes.Interface.
func (k *kube) Get(ctx context.Context, key string, opts kubernetes.GetOptions) (resp kubernetes.GetResponse, err error) {
	if err := k.check(ctx); err != nil {
		return resp, err
	}
	if key == "" {
		return resp, rpctypes.ErrEmptyKey
	}
	res, err := k.engine.Range(mvcc.Query{Key: key, Rev: opts.Revision}, func(kv mvcc.KV) {
		resp.KV = newKV(&kv)
	})
	if err != nil {
		return kubernetes.GetResponse{}, toEtcd(err)
	}
	resp.Revision = res.Revision
	if resp.KV == nil {
		k.watches.announce(key)
	}
	return resp, nil
}

// List implements kubernetes.Interface.
func (k *kube) List(ctx context.Context, prefix string, opts kubernetes.ListOptions) (resp kubernetes.ListResponse, err error) {
	if err := k.check(ctx); err != nil {
		return resp, err
	}
	q := prefixQuery(prefix)
	q.Rev, q.Limit = opts.Revision, opts.Limit
	if opts.Continue != "" {
		q.Key = opts.Continue
	}
	var kvs []mvcc.KV
	res, err := k.engine.Range(q, func(kv mvcc.KV) { kvs = append(kvs, kv) })
	if err != nil {
		return resp, toEtcd(err)
	}
	resp.Kvs = kvSlice(kvs, false)
	resp.Count = res.Count
	resp.Revision = res.Revision
	return resp, nil
}

// Count implements kubernetes.Interface.
func (k *kube) Count(ctx context.Context, prefix string, _ kubernetes.CountOptions) (int64, error) {
	if err := k.check(ctx); err != nil {
		return 0, err
	}
	q := prefixQuery(prefix)
	q.CountOnly = true
	res, err := k.engine.Range(q, func(mvcc.KV) {})
	return res.Count, toEtcd(err)
}

// OptimisticPut implements kubernetes.Interface.
func (k *kube) OptimisticPut(ctx context.Context, key string, value []byte, expected int64, opts kubernetes.PutOptions) (resp kubernetes.PutResponse, err error) {
	if err := k.check(ctx); err != nil {
		return resp, err
	}
	if key == "" {
		return resp, rpctypes.ErrEmptyKey
	}
	if len(value) > MaxRequestBytes {
		return resp, rpctypes.ErrRequestTooLarge
	}
	t := k.begin(ctx, key, len(value), expected)
	resp.Revision, err = k.engine.Update(func(tx *mvcc.Tx) error {
		cur, err := current(tx, key)
		if err != nil {
			return err
		}
		if modRevision(cur) != expected {
			if opts.GetOnFailure {
				resp.KV = newKV(cur)
			}
			return nil
		}
		_, err = tx.Put(key, value, int64(opts.LeaseID))
		resp.Succeeded = err == nil
		t.writes(tx)
		return err
	})
	kind := putKind
	if opts.GetOnFailure {
		kind = updateKind
	}
	t.end(kind, resp.Succeeded, err)
	if err != nil {
		return kubernetes.PutResponse{}, toEtcd(err)
	}
	return resp, nil
}

// OptimisticDelete implements kubernetes.Interface.
func (k *kube) OptimisticDelete(ctx context.Context, key string, expected int64, opts kubernetes.DeleteOptions) (resp kubernetes.DeleteResponse, err error) {
	if err := k.check(ctx); err != nil {
		return resp, err
	}
	if key == "" {
		return resp, rpctypes.ErrEmptyKey
	}
	t := k.begin(ctx, key, 0, expected)
	resp.Revision, err = k.engine.Update(func(tx *mvcc.Tx) error {
		cur, err := current(tx, key)
		if err != nil {
			return err
		}
		if modRevision(cur) != expected {
			if opts.GetOnFailure {
				resp.KV = newKV(cur)
			}
			return nil
		}
		_, err = tx.Delete(key)
		resp.Succeeded = err == nil
		t.writes(tx)
		return err
	})
	t.end(deleteKind, resp.Succeeded, err)
	if err != nil {
		return kubernetes.DeleteResponse{}, toEtcd(err)
	}
	return resp, nil
}

func current(tx *mvcc.Tx, key string) (*mvcc.KV, error) {
	kv, found, err := tx.Get(key)
	if err != nil || !found {
		return nil, err
	}
	return &kv, nil
}

// modRevision is 0 for a key that does not exist, as in a compare.
func modRevision(kv *mvcc.KV) int64 {
	if kv == nil {
		return 0
	}
	return kv.ModRevision
}

// prefixQuery selects the keys that begin with prefix; all keys if it is empty.
func prefixQuery(prefix string) mvcc.Query {
	if prefix == "" {
		return mvcc.Query{Key: mvcc.ToEnd, End: mvcc.ToEnd}
	}
	return mvcc.Query{Key: prefix, End: clientv3.GetPrefixRangeEnd(prefix)}
}

// kvSlice converts in one allocation for the structs and one for the pointers.
// It never returns nil, as a list has no items rather than none.
func kvSlice(kvs []mvcc.KV, keysOnly bool) []*mvccpb.KeyValue {
	slab := make([]mvccpb.KeyValue, len(kvs))
	out := make([]*mvccpb.KeyValue, len(kvs))
	for i := range kvs {
		setKV(&slab[i], &kvs[i])
		if keysOnly {
			slab[i].Value = nil
		}
		out[i] = &slab[i]
	}
	return out
}
