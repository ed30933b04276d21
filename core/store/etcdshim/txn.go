package etcdshim

import (
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// plan is a transaction whose compares are decided: the branch to run, and the
// plans of the transactions in it, in order.
type plan struct {
	succeeded bool
	ops       []*pb.RequestOp
	nested    []*plan
}

// doTxn works as etcd does (server/etcdserver/txn/txn.go, Txn): all compares are
// decided and all operations checked against the state before the transaction,
// those of nested transactions too; then the operations run, each seeing those
// before it.
func doTxn(tx *mvcc.Tx, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	p, err := decide(tx, r)
	if err != nil {
		return nil, err
	}
	if err := p.check(tx); err != nil {
		return nil, err
	}
	return p.run(tx)
}

func decide(tx *mvcc.Tx, r *pb.TxnRequest) (*plan, error) {
	compares, err := toCompares(r.Compare)
	if err != nil {
		return nil, err
	}
	p := &plan{ops: r.Success}
	if p.succeeded, err = tx.Check(compares...); err != nil {
		return nil, err
	}
	if !p.succeeded {
		p.ops = r.Failure
	}
	for _, op := range p.ops {
		if t := op.GetRequestTxn(); t != nil {
			n, err := decide(tx, t)
			if err != nil {
				return nil, err
			}
			p.nested = append(p.nested, n)
		}
	}
	return p, nil
}

func (p *plan) check(tx *mvcc.Tx) error {
	nested := p.nested
	for _, op := range p.ops {
		switch u := op.Request.(type) {
		case *pb.RequestOp_RequestRange:
			q := mvcc.Query{Key: string(u.RequestRange.Key), Rev: u.RequestRange.Revision, CountOnly: true}
			if _, err := tx.Range(q, nil); err != nil {
				return err
			}
		case *pb.RequestOp_RequestPut:
			if err := checkPutAgainst(tx, u.RequestPut); err != nil {
				return err
			}
		case *pb.RequestOp_RequestTxn:
			if err := nested[0].check(tx); err != nil {
				return err
			}
			nested = nested[1:]
		}
	}
	return nil
}

func checkPutAgainst(tx *mvcc.Tx, r *pb.PutRequest) error {
	if r.IgnoreValue || r.IgnoreLease {
		cur, err := current(tx, string(r.Key))
		if err != nil {
			return err
		}
		if cur == nil {
			return rpctypes.ErrKeyNotFound
		}
	}
	if !tx.LeaseExists(r.Lease) {
		return mvcc.ErrLeaseNotFound
	}
	return nil
}

func (p *plan) run(tx *mvcc.Tx) (resp *pb.TxnResponse, err error) {
	resp = &pb.TxnResponse{Succeeded: p.succeeded, Responses: make([]*pb.ResponseOp, len(p.ops))}
	nested := p.nested
	for i, op := range p.ops {
		r := &pb.ResponseOp{}
		switch u := op.Request.(type) {
		case *pb.RequestOp_RequestRange:
			to := &pb.ResponseOp_ResponseRange{}
			to.ResponseRange, err = doRange(tx, u.RequestRange)
			r.Response = to
		case *pb.RequestOp_RequestPut:
			to := &pb.ResponseOp_ResponsePut{}
			to.ResponsePut, err = doPut(tx, u.RequestPut)
			r.Response = to
		case *pb.RequestOp_RequestDeleteRange:
			to := &pb.ResponseOp_ResponseDeleteRange{}
			to.ResponseDeleteRange, err = doDelete(tx, u.RequestDeleteRange)
			r.Response = to
		case *pb.RequestOp_RequestTxn:
			to := &pb.ResponseOp_ResponseTxn{}
			to.ResponseTxn, err = nested[0].run(tx)
			nested = nested[1:]
			r.Response = to
		default:
			err = fmt.Errorf("unknown operation %T", op.Request)
		}
		if err != nil {
			return nil, err
		}
		resp.Responses[i] = r
	}
	resp.Header = header(tx.Revision())
	return resp, nil
}
