package etcdshim

import (
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// doTxn evaluates the compares and runs one of the branches. A nested
// transaction sees what was done before it.
func doTxn(tx *mvcc.Tx, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	compares, err := toCompares(r.Compare)
	if err != nil {
		return nil, err
	}
	ok, err := tx.Check(compares...)
	if err != nil {
		return nil, err
	}
	ops := r.Success
	if !ok {
		ops = r.Failure
	}
	resp := &pb.TxnResponse{Succeeded: ok, Responses: make([]*pb.ResponseOp, len(ops))}
	for i, op := range ops {
		if resp.Responses[i], err = doOp(tx, op); err != nil {
			return nil, err
		}
	}
	resp.Header = header(tx.Revision())
	return resp, nil
}

func doOp(tx *mvcc.Tx, op *pb.RequestOp) (*pb.ResponseOp, error) {
	switch u := op.Request.(type) {
	case *pb.RequestOp_RequestRange:
		r, err := doRange(tx, u.RequestRange)
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: r}}, err
	case *pb.RequestOp_RequestPut:
		r, err := doPut(tx, u.RequestPut)
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: r}}, err
	case *pb.RequestOp_RequestDeleteRange:
		r, err := doDelete(tx, u.RequestDeleteRange)
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: r}}, err
	case *pb.RequestOp_RequestTxn:
		r, err := doTxn(tx, u.RequestTxn)
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseTxn{ResponseTxn: r}}, err
	}
	return nil, fmt.Errorf("unknown operation %T", op.Request)
}

func toCompares(in []*pb.Compare) ([]mvcc.Compare, error) {
	out := make([]mvcc.Compare, len(in))
	for i, c := range in {
		m := mvcc.Compare{Key: string(c.Key), End: string(c.RangeEnd)}
		switch c.Target {
		case pb.Compare_VERSION:
			m.Target, m.Int = mvcc.TargetVersion, c.GetVersion()
		case pb.Compare_CREATE:
			m.Target, m.Int = mvcc.TargetCreate, c.GetCreateRevision()
		case pb.Compare_MOD:
			m.Target, m.Int = mvcc.TargetMod, c.GetModRevision()
		case pb.Compare_VALUE:
			m.Target, m.Value = mvcc.TargetValue, string(c.GetValue())
		case pb.Compare_LEASE:
			m.Target, m.Int = mvcc.TargetLease, c.GetLease()
		default:
			return nil, fmt.Errorf("unknown compare target %v", c.Target)
		}
		switch c.Result {
		case pb.Compare_EQUAL:
			m.Op = mvcc.Equal
		case pb.Compare_NOT_EQUAL:
			m.Op = mvcc.NotEqual
		case pb.Compare_GREATER:
			m.Op = mvcc.Greater
		case pb.Compare_LESS:
			m.Op = mvcc.Less
		default:
			return nil, fmt.Errorf("unknown compare result %v", c.Result)
		}
		out[i] = m
	}
	return out, nil
}
