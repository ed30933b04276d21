package etcdshim

import (
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

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
