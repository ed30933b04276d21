package etcdshim

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

func put(t testing.TB, c *Client, key, value string) int64 {
	t.Helper()
	r, err := c.Put(t.Context(), key, value)
	if err != nil {
		t.Fatal(err)
	}
	return r.Header.Revision
}

func receive(t testing.TB, ch clientv3.WatchChan) clientv3.WatchResponse {
	t.Helper()
	select {
	case r, open := <-ch:
		if !open {
			t.Fatal("the watch was closed")
		}
		return r
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

func closed(t testing.TB, ch clientv3.WatchChan) {
	t.Helper()
	select {
	case r, open := <-ch:
		if open {
			t.Fatalf("got %+v, want the channel closed", r)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the watch goes on")
	}
}

func TestProgressIsInOrder(t *testing.T) {
	c, _ := newTestClient(t)
	ch := c.Watch(t.Context(), "a", clientv3.WithPrefix(), clientv3.WithRev(2))
	for i := range 100 {
		put(t, c, fmt.Sprint("a", i), "v")
	}
	last := put(t, c, "other", "v")
	if err := c.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for {
		r := receive(t, ch)
		if !r.IsProgressNotify() {
			seen += len(r.Events)
			continue
		}
		if seen != 100 || r.Header.Revision != last {
			t.Errorf("progress to %d after %d events, want %d after 100", r.Header.Revision, seen, last)
		}
		return
	}
}

// TestMissAnnouncesProgress: reading a resource's prefix tells its watch where
// the store is, and no other watch.
func TestMissAnnouncesProgress(t *testing.T) {
	c, _ := newTestClient(t)
	asked := c.Watch(t.Context(), "/registry/pods/", clientv3.WithPrefix(), clientv3.WithProgressNotify())
	plain := c.Watch(t.Context(), "/registry/pods/", clientv3.WithPrefix())
	other := c.Watch(t.Context(), "/registry/nodes/", clientv3.WithPrefix(), clientv3.WithProgressNotify())
	rev := put(t, c, "x", "v")
	for _, key := range []string{"/registry/pods", "/registry/pods/"} {
		if _, err := c.Kubernetes.Get(t.Context(), key, kubernetes.GetOptions{}); err != nil {
			t.Fatal(err)
		}
		if r := receive(t, asked); !r.IsProgressNotify() || r.Header.Revision != rev {
			t.Errorf("%s: %+v, want progress to %d", key, r, rev)
		}
	}
	select {
	case r := <-plain:
		t.Errorf("a watch that did not ask got %+v", r)
	case r := <-other:
		t.Errorf("another resource's watch got %+v", r)
	case <-time.After(20 * time.Millisecond):
	}
}

func TestCreatedAndCompacted(t *testing.T) {
	c, e := newTestClient(t)
	for range 9 {
		put(t, c, "a", "v")
	}
	if err := e.Compact(8); err != nil {
		t.Fatal(err)
	}
	ch := c.Watch(t.Context(), "a", clientv3.WithRev(3), clientv3.WithCreatedNotify())
	if r := receive(t, ch); !r.Created || r.Header.Revision != 10 || r.IsProgressNotify() {
		t.Errorf("first %+v, want created", r)
	}
	r := receive(t, ch)
	if !errors.Is(r.Err(), rpctypes.ErrCompacted) || r.CompactRevision != 8 || !r.Canceled {
		t.Errorf("then %+v, want compacted at 8", r)
	}
	closed(t, ch)
}

func TestRefusedWatch(t *testing.T) {
	c, _ := newTestClient(t)
	ch := c.Watch(t.Context(), "b", clientv3.WithRange("a"))
	if r := receive(t, ch); !r.Canceled || r.Err() == nil {
		t.Errorf("an empty range: %+v", r)
	}
	closed(t, ch)
}

func TestWatchEnds(t *testing.T) {
	c, e := newTestClient(t)
	other, err := NewClient(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := c.Watch(ctx, "a")
	full := c.Watch(ctx, "b") // nobody reads what is waiting here
	put(t, c, "b", "v")
	cancel()
	closed(t, cancelled)
	for range full {
	}

	mine, theirs := c.Watch(t.Context(), "a"), other.Watch(t.Context(), "a")
	if err := c.Close(); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	closed(t, mine)
	put(t, other, "a", "v")
	if r := receive(t, theirs); len(r.Events) != 1 {
		t.Errorf("another client's watch got %+v", r)
	}
	closed(t, c.Watch(t.Context(), "a"))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	closed(t, theirs)
	if _, err := other.KV.Get(t.Context(), "a"); !errors.Is(err, rpctypes.ErrStopped) {
		t.Errorf("after the store was closed: %v", err)
	}
}

func TestClosedClientAndCancelledContext(t *testing.T) {
	c, _ := newTestClient(t)
	calls := func(ctx context.Context) map[string]error {
		k := c.Kubernetes
		errs := map[string]error{}
		_, errs["get"] = k.Get(ctx, "a", kubernetes.GetOptions{})
		_, errs["list"] = k.List(ctx, "a", kubernetes.ListOptions{})
		_, errs["count"] = k.Count(ctx, "a", kubernetes.CountOptions{})
		_, errs["put"] = k.OptimisticPut(ctx, "a", nil, 0, kubernetes.PutOptions{})
		_, errs["delete"] = k.OptimisticDelete(ctx, "a", 0, kubernetes.DeleteOptions{})
		_, errs["kv get"] = c.KV.Get(ctx, "a")
		_, errs["kv put"] = c.KV.Put(ctx, "a", "v")
		_, errs["kv delete"] = c.KV.Delete(ctx, "a")
		_, errs["txn"] = c.Txn(ctx).Commit()
		_, errs["compact"] = c.Compact(ctx, 1)
		_, errs["grant"] = c.Grant(ctx, 1)
		_, errs["status"] = c.Status(ctx, "")
		errs["progress"] = c.RequestProgress(ctx)
		return errs
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for call, err := range calls(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", call, err)
		}
	}
	_ = c.Close()
	for call, err := range calls(t.Context()) {
		if err == nil {
			t.Errorf("%s on a closed client does not fail", call)
		}
	}
}

func TestOptimistic(t *testing.T) {
	c, _ := newTestClient(t)
	k, ctx := c.Kubernetes, t.Context()
	created, err := k.OptimisticPut(ctx, "a", []byte("1"), 0, kubernetes.PutOptions{})
	if err != nil || !created.Succeeded || created.Revision != 2 {
		t.Fatalf("create: %+v, %v", created, err)
	}
	again, err := k.OptimisticPut(ctx, "a", []byte("2"), 0, kubernetes.PutOptions{GetOnFailure: true})
	if err != nil || again.Succeeded || string(again.KV.Value) != "1" || again.Revision != 2 {
		t.Errorf("create again: %+v, %v", again, err)
	}
	gone, err := k.OptimisticPut(ctx, "none", nil, 7, kubernetes.PutOptions{GetOnFailure: true})
	if err != nil || gone.Succeeded || gone.KV != nil {
		t.Errorf("update what is gone: %+v, %v", gone, err)
	}
	stale, err := k.OptimisticDelete(ctx, "a", 1, kubernetes.DeleteOptions{GetOnFailure: true})
	if err != nil || stale.Succeeded || stale.KV.ModRevision != 2 {
		t.Errorf("delete at a stale revision: %+v, %v", stale, err)
	}
	deleted, err := k.OptimisticDelete(ctx, "a", 2, kubernetes.DeleteOptions{})
	if err != nil || !deleted.Succeeded || deleted.Revision != 3 {
		t.Errorf("delete: %+v, %v", deleted, err)
	}
	if _, err := k.OptimisticPut(ctx, "a", make([]byte, MaxRequestBytes+1), 0, kubernetes.PutOptions{}); !errors.Is(err, rpctypes.ErrRequestTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := k.OptimisticPut(ctx, "a", nil, 0, kubernetes.PutOptions{LeaseID: 99}); !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		t.Errorf("no such lease: %v", err)
	}
}

// TestSharedMemory: what a caller holds does not change under it, nor can it
// change the store by appending.
func TestSharedMemory(t *testing.T) {
	c, _ := newTestClient(t)
	value := []byte("one")
	if _, err := c.Kubernetes.OptimisticPut(t.Context(), "a", value, 0, kubernetes.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	copy(value, "XXX") // the caller's buffer is the caller's
	get := func() []byte {
		r, err := c.Kubernetes.Get(t.Context(), "a", kubernetes.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r.KV.Value
	}
	held := get()
	put(t, c, "a", "two")
	_ = append(get()[:1], "!!"...)[:2:2]
	_ = append(held, "more"...)
	if string(held) != "one" {
		t.Errorf("held %q, want one", held)
	}
	if r, _ := c.KV.Get(t.Context(), "a", clientv3.WithRev(2)); string(r.Kvs[0].Value) != "one" {
		t.Errorf("the past is %q", r.Kvs[0].Value)
	}
}

func TestLeases(t *testing.T) {
	c, _ := newTestClient(t)
	ctx := t.Context()
	g, err := c.Grant(ctx, 60)
	if err != nil || g.TTL != 60 || g.ID == 0 {
		t.Fatalf("%+v, %v", g, err)
	}
	if _, err := c.KV.Put(ctx, "a", "v", clientv3.WithLease(g.ID)); err != nil {
		t.Fatal(err)
	}
	ttl, err := c.TimeToLive(ctx, g.ID, clientv3.WithAttachedKeys())
	if err != nil || ttl.GrantedTTL != 60 || ttl.TTL < 58 || len(ttl.Keys) != 1 || string(ttl.Keys[0]) != "a" {
		t.Errorf("%+v, %v", ttl, err)
	}
	if k, err := c.KeepAliveOnce(ctx, g.ID); err != nil || k.TTL != 60 {
		t.Errorf("%+v, %v", k, err)
	}
	if l, err := c.Leases(ctx); err != nil || len(l.Leases) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	short, err := c.Grant(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	alive, err := c.KeepAlive(ctx, short.ID)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 { // 1.3 s and more
		if _, open := <-alive; !open {
			t.Fatal("the lease was lost")
		}
	}
	for _, id := range []clientv3.LeaseID{g.ID, short.ID} {
		if _, err := c.Revoke(ctx, id); err != nil {
			t.Errorf("revoke: %v", err)
		}
	}
	for range alive {
	}
	if _, err := c.KeepAliveOnce(ctx, g.ID); !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		t.Errorf("keep a revoked lease alive: %v", err)
	}
	if ttl, err := c.TimeToLive(ctx, g.ID); err != nil || ttl.TTL != -1 {
		t.Errorf("a revoked lease: %+v, %v", ttl, err)
	}
	if r, err := c.KV.Get(ctx, "a"); err != nil || r.Count != 0 {
		t.Errorf("its key: %+v, %v", r, err)
	}
	if _, err := c.Grant(ctx, mvcc.MaxLeaseTTL+1); !errors.Is(err, rpctypes.ErrLeaseTTLTooLarge) {
		t.Errorf("too long a lease: %v", err)
	}
}

func TestTooManyOps(t *testing.T) {
	c, _ := newTestClient(t)
	ops := make([]clientv3.Op, maxTxnOps+1)
	for i := range ops {
		ops[i] = clientv3.OpGet("a")
	}
	if _, err := c.Txn(t.Context()).Then(ops...).Commit(); !errors.Is(err, rpctypes.ErrTooManyOps) {
		t.Errorf("got %v", err)
	}
	big := clientv3.OpPut("a", string(make([]byte, MaxRequestBytes/2+1)))
	bigger := clientv3.OpPut("b", string(make([]byte, MaxRequestBytes/2+1)))
	if _, err := c.Txn(t.Context()).Then(big, bigger).Commit(); !errors.Is(err, rpctypes.ErrRequestTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestStatus(t *testing.T) {
	c, _ := newTestClient(t)
	put(t, c, "a", "v")
	s, err := c.Status(t.Context(), "anything")
	if err != nil || s.DbSize <= 0 || s.Version == "" || s.Header.Revision != 2 || s.Leader != s.Header.MemberId {
		t.Errorf("%+v, %v", s, err)
	}
}
