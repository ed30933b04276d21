package etcdshim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
)

// actor is a client that does one random thing after another.
type actor struct {
	h     *history
	c     *Client
	id    int
	r     *rand.Rand
	n     int
	known map[string]int64 // revisions of keys as it saw them last
	lease clientv3.LeaseID // its own, 0 for none
	// marked says that the lease has a key.
	marked bool
}

var prefixes = []string{"/r/a/", "/r/b/", "/r/"}

func (a *actor) key() string { return fmt.Sprintf("%s%d", prefixes[a.r.IntN(2)], a.r.IntN(16)) }

func (a *actor) value() string {
	a.n++
	return fmt.Sprintf("%d.%d", a.id, a.n)
}

func (a *actor) run(t *testing.T) {
	a.known = map[string]int64{}
	for a.h.left.Add(-1) >= 0 {
		c := call{client: a.id, begin: a.h.clock.Add(1)}
		err := a.act(t, &c)
		c.end = a.h.clock.Add(1)
		if err != nil {
			t.Errorf("client %d: %v", a.id, err)
			return
		}
		if c.rev > 0 {
			a.h.record(c)
		}
	}
}

// act does one thing. It leaves c.rev 0 if nothing is to be learnt from it.
func (a *actor) act(t *testing.T, c *call) error {
	switch n := a.r.IntN(100); {
	case n < 20:
		return a.get(t, c)
	case n < 35:
		return a.list(t, c)
	case n < 60:
		return a.optimisticPut(t, c)
	case n < 75:
		return a.optimisticDelete(t, c)
	case n < 85:
		return a.txn(t, c)
	case n < 90:
		return a.put(t, c)
	case n < 92:
		return a.deletePrefix(t, c)
	case n < 96:
		return a.leases(t, c)
	case n < 99:
		return a.count(t, c)
	default:
		return a.compact(t)
	}
}

// past is a revision lately, or 0 for the latest.
func (a *actor) past() int64 {
	if a.r.IntN(2) == 0 {
		return 0
	}
	return max(1, a.h.latest.Load()-a.r.Int64N(5000))
}

func (a *actor) get(t *testing.T, c *call) error {
	key, rev := a.key(), a.past()
	resp, err := a.c.Kubernetes.Get(t.Context(), key, kubernetes.GetOptions{Revision: rev})
	if a.h.compactedRightly(err, rev) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get %s at %d: %w", key, rev, err)
	}
	c.rev = resp.Revision
	at := rev
	if rev == 0 {
		at = resp.Revision
		a.saw(c, key, resp.KV)
	}
	c.check = func(ref *reference) error {
		if want := ref.at(key, at); !same(resp.KV, want) {
			return fmt.Errorf("get %s at %d: %v, want %v", key, at, resp.KV, &want)
		}
		return nil
	}
	return nil
}

func (a *actor) saw(c *call, key string, kv *mvccpb.KeyValue) {
	rev := int64(0)
	if kv != nil {
		rev = kv.ModRevision
	}
	c.saw = map[string]int64{key: rev}
	a.known[key] = rev
}

func (a *actor) list(t *testing.T, c *call) error {
	prefix, opts := prefixes[a.r.IntN(3)], kubernetes.ListOptions{Revision: a.past()}
	if a.r.IntN(2) == 0 {
		opts.Limit = 1 + a.r.Int64N(8)
	}
	if a.r.IntN(3) == 0 {
		opts.Continue = a.key() + "\x00"
		if len(opts.Continue) < len(prefix) || opts.Continue[:len(prefix)] != prefix {
			opts.Continue = ""
		}
	}
	resp, err := a.c.Kubernetes.List(t.Context(), prefix, opts)
	if a.h.compactedRightly(err, opts.Revision) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list %s %+v: %w", prefix, opts, err)
	}
	c.rev = resp.Revision
	at := opts.Revision
	if at == 0 {
		at = resp.Revision
	}
	c.check = func(ref *reference) error {
		want := ref.list(prefix, at)
		for opts.Continue != "" && len(want) > 0 && string(want[0].Key) < opts.Continue {
			want = want[1:]
		}
		if resp.Count != int64(len(want)) {
			return fmt.Errorf("list %s %+v: count %d, want %d", prefix, opts, resp.Count, len(want))
		}
		if opts.Limit > 0 {
			want = want[:min(len(want), int(opts.Limit))]
		}
		for i := range max(len(want), len(resp.Kvs)) {
			if i >= len(want) || i >= len(resp.Kvs) || !same(resp.Kvs[i], want[i]) {
				return fmt.Errorf("list %s %+v: item %d differs", prefix, opts, i)
			}
		}
		return nil
	}
	return nil
}

func (a *actor) count(t *testing.T, c *call) error {
	prefix := prefixes[a.r.IntN(3)]
	resp, err := a.c.KV.Get(t.Context(), prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return err
	}
	c.rev = resp.Header.Revision
	rev := c.rev
	c.check = func(ref *reference) error {
		if want := len(ref.list(prefix, rev)); resp.Count != int64(want) {
			return fmt.Errorf("count of %s: %d, want %d", prefix, resp.Count, want)
		}
		return nil
	}
	return nil
}

// expected is the revision of a key as the actor remembers it, right or wrong.
func (a *actor) expected(key string) int64 {
	if a.r.IntN(10) == 0 {
		return a.h.latest.Load()
	}
	return a.known[key]
}

func (a *actor) optimisticPut(t *testing.T, c *call) error {
	key, value := a.key(), a.value()
	expected, opts := a.expected(key), kubernetes.PutOptions{GetOnFailure: a.r.IntN(4) > 0}
	if a.r.IntN(4) == 0 {
		opts.LeaseID = a.lease
	}
	resp, err := a.c.Kubernetes.OptimisticPut(t.Context(), key, []byte(value), expected, opts)
	if errors.Is(err, rpctypes.ErrLeaseNotFound) && opts.LeaseID != 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	c.rev = resp.Revision
	if resp.Succeeded {
		c.write = &write{changes: []change{{key: key, value: value, lease: opts.LeaseID}}}
		c.saw = map[string]int64{key: expected}
		a.known[key] = resp.Revision
		return nil
	}
	a.failed(c, key, expected, opts.GetOnFailure, resp.KV)
	return nil
}

// failed: the key was not as expected, and is told if it was asked for.
func (a *actor) failed(c *call, key string, expected int64, told bool, kv *mvccpb.KeyValue) {
	if told {
		a.saw(c, key, kv)
	}
	rev := c.rev
	c.check = func(ref *reference) error {
		is := ref.at(key, rev)
		if is.ModRevision == expected || told && !same(kv, is) {
			return fmt.Errorf("%s was %v, not expected at %d, but told to be %v", key, &is, expected, kv)
		}
		return nil
	}
}

func (a *actor) optimisticDelete(t *testing.T, c *call) error {
	key := a.key()
	expected, opts := a.expected(key), kubernetes.DeleteOptions{GetOnFailure: true}
	resp, err := a.c.Kubernetes.OptimisticDelete(t.Context(), key, expected, opts)
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	c.rev = resp.Revision
	switch {
	case resp.Succeeded && expected == 0: // of what is not there
		c.saw = map[string]int64{key: 0}
	case resp.Succeeded:
		c.write = &write{changes: []change{{key: key, del: true}}}
		c.saw = map[string]int64{key: expected}
		a.known[key] = 0
	default:
		a.failed(c, key, expected, true, resp.KV)
	}
	return nil
}

// txn changes three keys if one of them is as expected, and reads that one if not.
func (a *actor) txn(t *testing.T, c *call) error {
	first, second, third := a.key(), a.key(), a.key()
	if first == second || second == third || first == third {
		return nil // etcd refuses to put a key twice
	}
	value, expected := a.value(), a.expected(first)
	resp, err := a.c.Txn(t.Context()).
		If(clientv3.Compare(clientv3.ModRevision(first), "=", expected)).
		Then(clientv3.OpPut(first, value), clientv3.OpPut(second, value), clientv3.OpDelete(third)).
		Else(clientv3.OpGet(first)).
		Commit()
	if err != nil {
		return fmt.Errorf("txn: %w", err)
	}
	c.rev = resp.Header.Revision
	if resp.Succeeded {
		c.write = &write{changes: []change{{key: first, value: value}, {key: second, value: value}, {key: third, del: true}}}
		c.saw = map[string]int64{first: expected}
		return nil
	}
	var kv *mvccpb.KeyValue
	if kvs := resp.Responses[0].GetResponseRange().Kvs; len(kvs) > 0 {
		kv = kvs[0]
	}
	a.failed(c, first, expected, true, kv)
	return nil
}

func (a *actor) put(t *testing.T, c *call) error {
	key, value := a.key(), a.value()
	resp, err := a.c.Put(t.Context(), key, value, clientv3.WithPrevKV())
	if err != nil {
		return err
	}
	c.rev = resp.Header.Revision
	c.write = &write{changes: []change{{key: key, value: value}}}
	rev := c.rev
	c.check = func(ref *reference) error {
		if want := ref.at(key, rev-1); !same(resp.PrevKv, want) {
			return fmt.Errorf("put %s replaced %v, want %v", key, resp.PrevKv, &want)
		}
		return nil
	}
	return nil
}

func (a *actor) deletePrefix(t *testing.T, c *call) error {
	prefix := a.key()
	resp, err := a.c.Delete(t.Context(), prefix, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	c.rev = resp.Header.Revision
	if resp.Deleted > 0 {
		c.write = &write{changes: []change{{key: prefix, prefix: true}}}
	}
	return nil
}

// leases takes a lease, gives it a key, so that its end is a revision, or ends it.
func (a *actor) leases(t *testing.T, c *call) error {
	if a.lease == 0 {
		resp, err := a.c.Grant(t.Context(), 3600)
		if err == nil {
			a.lease = resp.ID
		}
		return err
	}
	if !a.marked {
		key := fmt.Sprint("/leases/", a.id)
		resp, err := a.c.Put(t.Context(), key, "", clientv3.WithLease(a.lease))
		if err != nil {
			return err
		}
		a.marked = true
		c.rev = resp.Header.Revision
		c.write = &write{changes: []change{{key: key, lease: a.lease}}}
		return nil
	}
	resp, err := a.c.Revoke(t.Context(), a.lease)
	if err != nil {
		return err
	}
	c.rev = resp.Header.Revision
	id := a.lease
	a.lease, a.marked = 0, false
	c.write = &write{revoke: id}
	return nil
}

// compact forgets what is older than what other clients still look at.
func (a *actor) compact(t *testing.T) error {
	_, err := a.c.Compact(t.Context(), max(1, a.h.latest.Load()-3000))
	if errors.Is(err, rpctypes.ErrCompacted) {
		return nil
	}
	return err
}
