package etcdshim

import (
	"context"
	"fmt"
	"io"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/api/v3/version"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var _ clientv3.Maintenance = (*maintenance)(nil)

// maintenance is a client's Maintenance part. Kubernetes asks for Status only.
// What concerns a cluster of members or its files fails with ErrNotCapable.
type maintenance struct{ *handle }

// Status implements clientv3.Maintenance. The version is that of the etcd whose
// behaviour is followed: the client's, which feature checks look at.
func (m *maintenance) Status(ctx context.Context, _ string) (*clientv3.StatusResponse, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	s := m.engine.Status()
	size := s.Bytes + s.HistoryBytes
	return &clientv3.StatusResponse{
		Header:           header(s.Revision),
		Version:          version.Version,
		StorageVersion:   fmt.Sprintf("%d.%d.0", version.V3_6.Major, version.V3_6.Minor),
		DbSize:           size,
		DbSizeInUse:      size,
		Leader:           memberID,
		RaftTerm:         raftTerm,
		RaftIndex:        uint64(s.Revision),
		RaftAppliedIndex: uint64(s.Revision),
	}, nil
}

// Defragment implements clientv3.Maintenance: there is nothing to do.
func (m *maintenance) Defragment(ctx context.Context, _ string) (*clientv3.DefragmentResponse, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	return &clientv3.DefragmentResponse{Header: header(m.engine.Revision())}, nil
}

// AlarmList implements clientv3.Maintenance: there are no alarms.
func (m *maintenance) AlarmList(ctx context.Context) (*clientv3.AlarmResponse, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	return &clientv3.AlarmResponse{Header: header(m.engine.Revision())}, nil
}

// AlarmDisarm implements clientv3.Maintenance.
func (m *maintenance) AlarmDisarm(ctx context.Context, _ *clientv3.AlarmMember) (*clientv3.AlarmResponse, error) {
	return m.AlarmList(ctx)
}

// HashKV implements clientv3.Maintenance.
func (*maintenance) HashKV(context.Context, string, int64) (*clientv3.HashKVResponse, error) {
	return nil, rpctypes.ErrNotCapable
}

// SnapshotWithVersion implements clientv3.Maintenance.
func (*maintenance) SnapshotWithVersion(context.Context) (*clientv3.SnapshotResponse, error) {
	return nil, rpctypes.ErrNotCapable
}

// Snapshot implements clientv3.Maintenance.
func (*maintenance) Snapshot(context.Context) (io.ReadCloser, error) {
	return nil, rpctypes.ErrNotCapable
}

// MoveLeader implements clientv3.Maintenance.
func (*maintenance) MoveLeader(context.Context, uint64) (*clientv3.MoveLeaderResponse, error) {
	return nil, rpctypes.ErrNotCapable
}

// Downgrade implements clientv3.Maintenance.
func (*maintenance) Downgrade(context.Context, clientv3.DowngradeAction, string) (*clientv3.DowngradeResponse, error) {
	return nil, rpctypes.ErrNotCapable
}
