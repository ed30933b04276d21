package etcdshim

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/trace"
)

// The identity in response headers. One member, always its own leader.
const (
	clusterID = 0x7461626572 // "taber"
	memberID  = 1
	raftTerm  = 1
)

// MaxRequestBytes bounds the values written by one request, as etcd's
// --max-request-bytes does by default.
const MaxRequestBytes = 1.5 * 1024 * 1024

// handle is what the parts of one client share. Closing the client closes the
// handle, not the engine.
type handle struct {
	engine *mvcc.Engine
	ctx    context.Context // ends with the client
	trace  *trace.Bus
}

// Client is etcd's client for Kubernetes, named here so that other packages need
// not import it.
type Client = kubernetes.Client

// NewClient returns a client of its own on e: closing it ends its watches and
// leaves e and other clients alone. bus is told what is written through it for a request that is
// traced, and which watches were told; it may be nil.
func NewClient(e *mvcc.Engine, bus *trace.Bus) (*Client, error) {
	if err := checkOpFields(); err != nil {
		return nil, err
	}
	c := clientv3.NewCtxClient(context.Background())
	h := &handle{engine: e, ctx: c.Ctx(), trace: bus}
	c.KV = clientv3.NewKVFromKVClient(&kvServer{h}, c)
	watches := newWatcher(h)
	c.Watcher = watches
	c.Lease = &lessor{h}
	c.Maintenance = &maintenance{h}
	return &Client{Client: c, Kubernetes: &kube{h, watches}}, nil
}

// check fails if the request was cancelled or the client closed, as a call over
// the network would.
func (h *handle) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if h.ctx.Err() != nil {
		return status.Error(codes.Canceled, "etcdshim: the client is closing")
	}
	return nil
}

func header(rev int64) *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: clusterID, MemberId: memberID, RaftTerm: raftTerm, Revision: rev}
}

// toEtcd gives the engine's errors as an etcd client returns them.
func toEtcd(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, mvcc.ErrCompacted):
		return rpctypes.ErrCompacted
	case errors.Is(err, mvcc.ErrFutureRev):
		return rpctypes.ErrFutureRev
	case errors.Is(err, mvcc.ErrLeaseNotFound):
		return rpctypes.ErrLeaseNotFound
	case errors.Is(err, mvcc.ErrLeaseExists):
		return rpctypes.Error(rpctypes.ErrGRPCLeaseExist)
	case errors.Is(err, mvcc.ErrLeaseTTLTooLarge):
		return rpctypes.ErrLeaseTTLTooLarge
	case errors.Is(err, mvcc.ErrClosed):
		return rpctypes.ErrStopped
	}
	var known rpctypes.EtcdError
	if errors.As(err, &known) {
		return known
	}
	return fmt.Errorf("etcdshim: %w", err)
}

// bytesOf returns the bytes of s without copying them. They must not be written.
func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

func setKV(to *mvccpb.KeyValue, kv *mvcc.KV) {
	to.Key = bytesOf(kv.Key)
	to.Value = bytesOf(kv.Value)
	to.CreateRevision = kv.CreateRevision
	to.ModRevision = kv.ModRevision
	to.Version = kv.Version
	to.Lease = kv.Lease
}

func newKV(kv *mvcc.KV) *mvccpb.KeyValue {
	if kv == nil {
		return nil
	}
	to := &mvccpb.KeyValue{}
	setKV(to, kv)
	return to
}
