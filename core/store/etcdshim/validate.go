package etcdshim

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// maxTxnOps is etcd's default of --max-txn-ops.
const maxTxnOps = 128

func checkRange(r *pb.RangeRequest) error {
	if len(r.Key) == 0 {
		return rpctypes.ErrEmptyKey
	}
	if _, ok := pb.RangeRequest_SortOrder_name[int32(r.SortOrder)]; !ok {
		return rpctypes.ErrInvalidSortOption
	}
	if _, ok := pb.RangeRequest_SortTarget_name[int32(r.SortTarget)]; !ok {
		return rpctypes.ErrInvalidSortOption
	}
	return nil
}

func checkPut(r *pb.PutRequest) error {
	switch {
	case len(r.Key) == 0:
		return rpctypes.ErrEmptyKey
	case r.IgnoreValue && len(r.Value) != 0:
		return rpctypes.ErrValueProvided
	case r.IgnoreLease && r.Lease != 0:
		return rpctypes.ErrLeaseProvided
	case len(r.Value) > MaxRequestBytes:
		return rpctypes.ErrRequestTooLarge
	}
	return nil
}

// checkTxn refuses what etcd refuses before it runs a transaction: too many or
// malformed operations, too many bytes, and branches that write a key twice.
func checkTxn(r *pb.TxnRequest) error {
	c := txnChecker{opsLeft: maxTxnOps, bytesLeft: MaxRequestBytes}
	if err := c.txn(r); err != nil {
		return err
	}
	for _, branch := range [][]*pb.RequestOp{r.Success, r.Failure} {
		if _, err := writesOf(branch); err != nil {
			return err
		}
	}
	return nil
}

type txnChecker struct{ opsLeft, bytesLeft int }

func (c *txnChecker) txn(r *pb.TxnRequest) error {
	ops := max(len(r.Compare), len(r.Success), len(r.Failure))
	if ops > c.opsLeft {
		return rpctypes.ErrTooManyOps
	}
	for _, cmp := range r.Compare {
		if len(cmp.Key) == 0 {
			return rpctypes.ErrEmptyKey
		}
	}
	// Each level of nesting has what the levels above it left.
	c.opsLeft -= ops
	defer func() { c.opsLeft += ops }()
	for _, branch := range [][]*pb.RequestOp{r.Success, r.Failure} {
		for _, op := range branch {
			if err := c.op(op); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *txnChecker) op(op *pb.RequestOp) error {
	switch u := op.Request.(type) {
	case *pb.RequestOp_RequestRange:
		return checkRange(u.RequestRange)
	case *pb.RequestOp_RequestPut:
		if c.bytesLeft -= len(u.RequestPut.Value); c.bytesLeft < 0 {
			return rpctypes.ErrRequestTooLarge
		}
		return checkPut(u.RequestPut)
	case *pb.RequestOp_RequestDeleteRange:
		if len(u.RequestDeleteRange.Key) == 0 {
			return rpctypes.ErrEmptyKey
		}
		return nil
	case *pb.RequestOp_RequestTxn:
		return c.txn(u.RequestTxn)
	}
	return rpctypes.ErrKeyNotFound // as etcd answers an empty operation
}

// writes is what a list of operations may write.
type writes struct {
	puts map[string]bool
	dels []span
}

type span struct{ key, end string }

// deletes leaves out ranges without an upper bound ("\x00"), as etcd does: to its
// interval tree such a range is empty.
func (w *writes) deletes(key string) bool {
	for _, d := range w.dels {
		if d.end == "" && key == d.key || key >= d.key && key < d.end {
			return true
		}
	}
	return false
}

func (w *writes) put(key string) error {
	if w.puts[key] || w.deletes(key) {
		return rpctypes.ErrDuplicateKey
	}
	w.puts[key] = true
	return nil
}

// writesOf fails with ErrDuplicateKey if ops could put a key twice, or both put
// and delete it. The two branches of a nested transaction exclude each other.
func writesOf(ops []*pb.RequestOp) (*writes, error) {
	w := &writes{puts: map[string]bool{}}
	for _, op := range ops {
		if d := op.GetRequestDeleteRange(); d != nil {
			w.dels = append(w.dels, span{string(d.Key), string(d.RangeEnd)})
		}
	}
	for _, op := range ops {
		t := op.GetRequestTxn()
		if t == nil {
			continue
		}
		then, err := writesOf(t.Success)
		if err != nil {
			return nil, err
		}
		or, err := writesOf(t.Failure)
		if err != nil {
			return nil, err
		}
		for k := range then.puts {
			if err := w.put(k); err != nil {
				return nil, err
			}
		}
		for k := range or.puts {
			if then.puts[k] {
				continue
			}
			if err := w.put(k); err != nil {
				return nil, err
			}
		}
		w.dels = append(w.dels, then.dels...)
		w.dels = append(w.dels, or.dels...)
	}
	for _, op := range ops {
		if p := op.GetRequestPut(); p != nil {
			if err := w.put(string(p.Key)); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}
