package etcdshim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// transcript runs a pseudo-random script against a fresh etcd and writes down
// everything it answers: the same on every run, whatever the etcd.
type transcript struct {
	t     testing.TB
	c     *clientv3.Client
	r     *rand.Rand
	out   strings.Builder
	lease clientv3.LeaseID
	rev   int64 // latest seen
}

func record(t testing.TB, c *clientv3.Client, seed uint64, steps int) string {
	s := &transcript{t: t, c: c, r: rand.New(rand.NewPCG(seed, 1)), rev: 1}
	g, err := c.Grant(t.Context(), 3600)
	if err != nil {
		t.Fatal(err)
	}
	s.lease = g.ID
	for i := range steps {
		fmt.Fprintf(&s.out, "%d ", i)
		switch n := s.r.IntN(20); {
		case n < 5:
			s.do(s.put())
		case n < 9:
			s.do(s.get())
		case n < 11:
			s.do(s.del())
		case n < 19:
			s.do(s.txn(2))
		default:
			s.compact()
		}
	}
	for range 20 {
		s.watch()
	}
	return s.out.String()
}

// pick returns one of its arguments.
func pick[T any](s *transcript, of ...T) T { return of[s.r.IntN(len(of))] }

func (s *transcript) chance(oneIn int) bool { return s.r.IntN(oneIn) == 0 }

func (s *transcript) key() string { return pick(s, "a/1", "a/2", "a/3", "b/1", "b/2", "c") }

// span adds the end of a range to some operations.
func (s *transcript) span() (key string, opts []clientv3.OpOption) {
	switch s.r.IntN(6) {
	case 0, 1:
		return pick(s, "a/", "b/", "x"), []clientv3.OpOption{clientv3.WithPrefix()}
	case 2:
		return pick(s, "a/2", "b"), []clientv3.OpOption{clientv3.WithFromKey()}
	case 3:
		return "a/2", []clientv3.OpOption{clientv3.WithRange(pick(s, "a/3", "b/2", "a/1"))}
	}
	return s.key(), nil
}

func (s *transcript) put() clientv3.Op {
	value, opts := fmt.Sprint("v", s.r.IntN(5)), []clientv3.OpOption(nil)
	if s.chance(3) {
		opts = append(opts, clientv3.WithPrevKV())
	}
	switch {
	case s.chance(8):
		opts, value = append(opts, clientv3.WithIgnoreValue()), pick(s, "", "", "v")
	case s.chance(8):
		opts = append(opts, clientv3.WithLease(pick(s, s.lease, s.lease, 12345)))
	case s.chance(8):
		opts = append(opts, clientv3.WithIgnoreLease())
	}
	return clientv3.OpPut(pick(s, s.key(), s.key(), s.key(), s.key(), ""), value, opts...)
}

func (s *transcript) get() clientv3.Op {
	key, opts := s.span()
	if s.chance(3) {
		opts = append(opts, clientv3.WithRev(s.rev+2-s.r.Int64N(min(s.rev+3, 12))))
	}
	if s.chance(3) {
		opts = append(opts, clientv3.WithLimit(1+s.r.Int64N(3)))
	}
	if s.chance(3) {
		opts = append(opts, clientv3.WithSort(
			clientv3.SortTarget(s.r.IntN(5)), clientv3.SortOrder(s.r.IntN(3))))
	}
	switch s.r.IntN(12) {
	case 0:
		opts = append(opts, clientv3.WithKeysOnly())
	case 1:
		opts = append(opts, clientv3.WithCountOnly())
	case 2:
		opts = append(opts, clientv3.WithMinModRev(s.rev-3))
	case 3:
		opts = append(opts, clientv3.WithMaxCreateRev(s.rev-3))
	case 4:
		opts = append(opts, clientv3.WithSerializable())
	}
	return clientv3.OpGet(key, opts...)
}

func (s *transcript) del() clientv3.Op {
	key, opts := s.span()
	if s.chance(2) {
		opts = append(opts, clientv3.WithPrevKV())
	}
	return clientv3.OpDelete(key, opts...)
}

func (s *transcript) cmp() clientv3.Cmp {
	key := pick(s, s.key(), s.key(), "none")
	op := pick(s, "=", "=", "!=", "<", ">")
	var c clientv3.Cmp
	switch s.r.IntN(5) {
	case 0:
		c = clientv3.Compare(clientv3.ModRevision(key), op, s.rev-s.r.Int64N(4))
	case 1:
		c = clientv3.Compare(clientv3.Version(key), op, s.r.IntN(3))
	case 2:
		c = clientv3.Compare(clientv3.CreateRevision(key), op, pick(s, 0, s.rev-2))
	case 3:
		c = clientv3.Compare(clientv3.Value(key), op, fmt.Sprint("v", s.r.IntN(5)))
	default:
		c = clientv3.Compare(clientv3.LeaseValue(key), op, 0)
	}
	if s.chance(5) {
		c = c.WithPrefix()
	}
	return c
}

func (s *transcript) txn(depth int) clientv3.Op {
	ops := func() (out []clientv3.Op) {
		for range s.r.IntN(4) {
			switch n := s.r.IntN(8); {
			case n < 3:
				out = append(out, s.put())
			case n < 6:
				out = append(out, s.get())
			case n == 6 || depth == 0:
				out = append(out, s.del())
			default:
				out = append(out, s.txn(depth-1))
			}
		}
		return out
	}
	var cmps []clientv3.Cmp
	for range s.r.IntN(3) {
		cmps = append(cmps, s.cmp())
	}
	return clientv3.OpTxn(cmps, ops(), ops())
}

func (s *transcript) do(op clientv3.Op) {
	resp, err := s.c.Do(s.t.Context(), op)
	switch {
	case err != nil:
		fmt.Fprintf(&s.out, "error %v\n", err)
	case op.IsPut():
		r := (*pb.PutResponse)(resp.Put())
		s.header("put", r.Header)
		s.line(&pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: r}})
	case op.IsGet():
		r := (*pb.RangeResponse)(resp.Get())
		s.header("get", r.Header)
		s.line(&pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: r}})
	case op.IsDelete():
		r := (*pb.DeleteRangeResponse)(resp.Del())
		s.header("delete", r.Header)
		s.line(&pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: r}})
	default:
		r := (*pb.TxnResponse)(resp.Txn())
		s.header("txn", r.Header)
		s.line(&pb.ResponseOp{Response: &pb.ResponseOp_ResponseTxn{ResponseTxn: r}})
	}
}

func (s *transcript) header(what string, h *pb.ResponseHeader) {
	s.rev = max(s.rev, h.Revision)
	fmt.Fprintf(&s.out, "%s at %d:", what, h.Revision)
}

func (s *transcript) line(r *pb.ResponseOp) {
	s.response(r)
	s.out.WriteByte('\n')
}

func (s *transcript) response(r *pb.ResponseOp) {
	switch u := r.Response.(type) {
	case *pb.ResponseOp_ResponsePut:
		fmt.Fprintf(&s.out, " put%s", s.kv(u.ResponsePut.PrevKv))
	case *pb.ResponseOp_ResponseRange:
		fmt.Fprintf(&s.out, " %d of %d more=%v", len(u.ResponseRange.Kvs), u.ResponseRange.Count, u.ResponseRange.More)
		for _, kv := range u.ResponseRange.Kvs {
			s.out.WriteString(s.kv(kv))
		}
	case *pb.ResponseOp_ResponseDeleteRange:
		fmt.Fprintf(&s.out, " deleted %d", u.ResponseDeleteRange.Deleted)
		for _, kv := range u.ResponseDeleteRange.PrevKvs {
			s.out.WriteString(s.kv(kv))
		}
	case *pb.ResponseOp_ResponseTxn:
		fmt.Fprintf(&s.out, " %v(", u.ResponseTxn.Succeeded)
		for _, r := range u.ResponseTxn.Responses {
			s.response(r)
		}
		s.out.WriteString(" )")
	}
}

func (s *transcript) kv(kv *mvccpb.KeyValue) string {
	if kv == nil {
		return ""
	}
	leased := ""
	if kv.Lease != 0 {
		leased = " leased"
	}
	return fmt.Sprintf(" [%s=%s c%d m%d v%d%s]", kv.Key, kv.Value, kv.CreateRevision, kv.ModRevision, kv.Version, leased)
}

func (s *transcript) compact() {
	rev := s.rev + 1 - s.r.Int64N(min(s.rev, 20))
	_, err := s.c.Compact(s.t.Context(), rev)
	fmt.Fprintf(&s.out, "compact %d: %v\n", rev, err)
}

// watch reads a range of the past until the present.
func (s *transcript) watch() {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	key, opts := s.span()
	if end := clientv3.OpGet(key, opts...).RangeBytes(); string(end) == "a/1" {
		key = "a/0" // an empty range is refused, with a reason that we cannot give
	}
	from := max(1, s.rev-s.r.Int64N(40))
	opts = append(opts, clientv3.WithRev(from))
	if s.chance(2) {
		opts = append(opts, clientv3.WithPrevKV())
	}
	switch s.r.IntN(6) {
	case 0:
		opts = append(opts, clientv3.WithFilterPut())
	case 1:
		opts = append(opts, clientv3.WithFilterDelete())
	}
	if s.chance(3) {
		opts = append(opts, clientv3.WithCreatedNotify())
	}
	fmt.Fprintf(&s.out, "watch %q from %d:", key, from)
	defer s.out.WriteByte('\n')
	ch := s.c.Watch(ctx, key, opts...)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.c.RequestProgress(ctx); err != nil {
				s.t.Fatal(err)
			}
		case r, open := <-ch:
			switch {
			case !open:
				s.out.WriteString(" closed")
				return
			case r.Err() != nil:
				fmt.Fprintf(&s.out, " error %v, compacted %d, canceled %v", r.Err(), r.CompactRevision, r.Canceled)
				return
			case r.Created:
				s.out.WriteString(" created")
			case r.IsProgressNotify():
				if r.Header.Revision >= s.rev {
					return
				}
			}
			for _, e := range r.Events {
				fmt.Fprintf(&s.out, " %v%s", e.Type, s.kv(e.Kv))
				if e.PrevKv != nil {
					fmt.Fprintf(&s.out, " was%s", s.kv(e.PrevKv))
				}
			}
		}
	}
}
