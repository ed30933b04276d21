package etcdshim

import (
	"cmp"
	"context"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

var _ pb.KVClient = (*kvServer)(nil)

// kvServer answers the requests that clientv3's KV builds, as etcd's own server
// does (etcd: server/etcdserver/api/v3rpc/key.go and server/etcdserver/txn).
type kvServer struct{ *handle }

// Range implements pb.KVClient.
func (s *kvServer) Range(ctx context.Context, r *pb.RangeRequest, _ ...grpc.CallOption) (*pb.RangeResponse, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if err := checkRange(r); err != nil {
		return nil, toEtcd(err)
	}
	resp, err := doRange(s.engine, r)
	return resp, toEtcd(err)
}

// Put implements pb.KVClient.
func (s *kvServer) Put(ctx context.Context, r *pb.PutRequest, _ ...grpc.CallOption) (*pb.PutResponse, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if err := checkPut(r); err != nil {
		return nil, toEtcd(err)
	}
	var resp *pb.PutResponse
	rev, err := s.engine.Update(func(tx *mvcc.Tx) (err error) {
		resp, err = doPut(tx, r)
		return err
	})
	if err != nil {
		return nil, toEtcd(err)
	}
	resp.Header = header(rev)
	return resp, nil
}

// DeleteRange implements pb.KVClient.
func (s *kvServer) DeleteRange(ctx context.Context, r *pb.DeleteRangeRequest, _ ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if len(r.Key) == 0 {
		return nil, rpctypes.ErrEmptyKey
	}
	var resp *pb.DeleteRangeResponse
	rev, err := s.engine.Update(func(tx *mvcc.Tx) (err error) {
		resp, err = doDelete(tx, r)
		return err
	})
	if err != nil {
		return nil, toEtcd(err)
	}
	resp.Header = header(rev)
	return resp, nil
}

// Txn implements pb.KVClient.
func (s *kvServer) Txn(ctx context.Context, r *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if err := checkTxn(r); err != nil {
		return nil, toEtcd(err)
	}
	var resp *pb.TxnResponse
	rev, err := s.engine.Update(func(tx *mvcc.Tx) (err error) {
		resp, err = doTxn(tx, r)
		return err
	})
	if err != nil {
		return nil, toEtcd(err)
	}
	resp.Header = header(rev)
	return resp, nil
}

// Compact implements pb.KVClient. It is always physical: history is memory.
func (s *kvServer) Compact(ctx context.Context, r *pb.CompactionRequest, _ ...grpc.CallOption) (*pb.CompactionResponse, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if err := s.engine.Compact(r.Revision); err != nil {
		return nil, toEtcd(err)
	}
	return &pb.CompactionResponse{Header: header(s.engine.Revision())}, nil
}

// ranger is an engine, or a transaction on it.
type ranger interface {
	Range(mvcc.Query, func(mvcc.KV)) (mvcc.RangeResult, error)
}

// doRange follows etcd step by step (server/etcdserver/txn/txn.go, executeRange).
func doRange(on ranger, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	q := mvcc.Query{Key: string(r.Key), End: string(r.RangeEnd), Rev: r.Revision, CountOnly: r.CountOnly}
	filtered := r.MinModRevision != 0 || r.MaxModRevision != 0 || r.MinCreateRevision != 0 || r.MaxCreateRevision != 0
	if r.Limit > 0 && !filtered && r.SortOrder == pb.RangeRequest_NONE {
		q.Limit = r.Limit + 1 // one to know whether there are more
	}
	// Without an order, what the limit let through is sorted by any target but
	// the key, and only that.
	order := r.SortOrder
	if order == pb.RangeRequest_NONE && r.SortTarget != pb.RangeRequest_KEY {
		order = pb.RangeRequest_ASCEND
	}
	var kvs []mvcc.KV
	res, err := on.Range(q, func(kv mvcc.KV) {
		if !filtered || inRevisions(r, &kv) {
			kvs = append(kvs, kv)
		}
	})
	if err != nil {
		return nil, err
	}
	sortKVs(kvs, order, r.SortTarget)
	resp := &pb.RangeResponse{Header: header(res.Revision), Count: res.Count}
	if r.CountOnly {
		return resp, nil
	}
	if r.Limit > 0 && int64(len(kvs)) > r.Limit {
		kvs, resp.More = kvs[:r.Limit], true
	}
	resp.Kvs = kvSlice(kvs, r.KeysOnly)
	return resp, nil
}

func inRevisions(r *pb.RangeRequest, kv *mvcc.KV) bool {
	within := func(rev, lo, hi int64) bool { return (lo == 0 || rev >= lo) && (hi == 0 || rev <= hi) }
	return within(kv.ModRevision, r.MinModRevision, r.MaxModRevision) &&
		within(kv.CreateRevision, r.MinCreateRevision, r.MaxCreateRevision)
}

func sortKVs(kvs []mvcc.KV, order pb.RangeRequest_SortOrder, target pb.RangeRequest_SortTarget) {
	if order == pb.RangeRequest_NONE {
		return // in order of keys already
	}
	slices.SortStableFunc(kvs, func(a, b mvcc.KV) int {
		var c int
		switch target {
		case pb.RangeRequest_VERSION:
			c = cmp.Compare(a.Version, b.Version)
		case pb.RangeRequest_CREATE:
			c = cmp.Compare(a.CreateRevision, b.CreateRevision)
		case pb.RangeRequest_MOD:
			c = cmp.Compare(a.ModRevision, b.ModRevision)
		case pb.RangeRequest_VALUE:
			c = cmp.Compare(a.Value, b.Value)
		default:
			c = cmp.Compare(a.Key, b.Key)
		}
		if order == pb.RangeRequest_DESCEND {
			return -c
		}
		return c
	})
}

func doPut(tx *mvcc.Tx, r *pb.PutRequest) (*pb.PutResponse, error) {
	key, value, lease := string(r.Key), r.Value, r.Lease
	if r.IgnoreValue || r.IgnoreLease {
		cur, err := current(tx, key)
		if err != nil {
			return nil, err
		}
		if cur == nil {
			return nil, rpctypes.ErrKeyNotFound
		}
		if r.IgnoreValue {
			value = bytesOf(cur.Value)
		}
		if r.IgnoreLease {
			lease = cur.Lease
		}
	}
	prev, err := tx.Put(key, value, lease)
	if err != nil {
		return nil, err
	}
	resp := &pb.PutResponse{Header: header(tx.Revision())}
	if r.PrevKv {
		resp.PrevKv = newKV(prev)
	}
	return resp, nil
}

func doDelete(tx *mvcc.Tx, r *pb.DeleteRangeRequest) (*pb.DeleteRangeResponse, error) {
	deleted, err := tx.DeleteRange(string(r.Key), string(r.RangeEnd))
	if err != nil {
		return nil, err
	}
	resp := &pb.DeleteRangeResponse{Header: header(tx.Revision()), Deleted: int64(len(deleted))}
	if r.PrevKv {
		for _, kv := range deleted {
			resp.PrevKvs = append(resp.PrevKvs, newKV(kv))
		}
	}
	return resp, nil
}
