package etcdshim

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

var _ clientv3.Lease = (*lessor)(nil)

// lessor is a client's Lease part.
type lessor struct{ *handle }

// Grant implements clientv3.Lease. ttl is in seconds.
func (l *lessor) Grant(ctx context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	g, err := l.engine.Grant(0, ttl)
	if err != nil {
		return nil, toEtcd(err)
	}
	return &clientv3.LeaseGrantResponse{
		ResponseHeader: header(l.engine.Revision()),
		ID:             clientv3.LeaseID(g.ID),
		TTL:            g.TTL,
	}, nil
}

// Revoke implements clientv3.Lease.
func (l *lessor) Revoke(ctx context.Context, id clientv3.LeaseID) (*clientv3.LeaseRevokeResponse, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	rev, err := l.engine.Revoke(int64(id))
	if err != nil {
		return nil, toEtcd(err)
	}
	return &clientv3.LeaseRevokeResponse{Header: header(rev)}, nil
}

// TimeToLive implements clientv3.Lease. A lease that does not exist has a TTL of
// -1, as etcd's client returns it. The one option there is asks for the keys.
func (l *lessor) TimeToLive(ctx context.Context, id clientv3.LeaseID, opts ...clientv3.LeaseOption) (*clientv3.LeaseTimeToLiveResponse, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	resp := &clientv3.LeaseTimeToLiveResponse{ResponseHeader: header(l.engine.Revision()), ID: id, TTL: -1}
	d, err := l.engine.TimeToLive(int64(id))
	if err != nil {
		return resp, nil
	}
	resp.TTL, resp.GrantedTTL = d.Remaining, d.TTL
	if len(opts) > 0 {
		for _, k := range d.Keys {
			resp.Keys = append(resp.Keys, bytesOf(k))
		}
	}
	return resp, nil
}

// Leases implements clientv3.Lease.
func (l *lessor) Leases(ctx context.Context) (*clientv3.LeaseLeasesResponse, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	resp := &clientv3.LeaseLeasesResponse{ResponseHeader: header(l.engine.Revision())}
	for _, id := range l.engine.Leases() {
		resp.Leases = append(resp.Leases, clientv3.LeaseStatus{ID: clientv3.LeaseID(id)})
	}
	return resp, nil
}

// KeepAliveOnce implements clientv3.Lease.
func (l *lessor) KeepAliveOnce(ctx context.Context, id clientv3.LeaseID) (*clientv3.LeaseKeepAliveResponse, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	ttl, err := l.engine.KeepAlive(int64(id))
	if err != nil {
		return nil, toEtcd(err)
	}
	return &clientv3.LeaseKeepAliveResponse{ResponseHeader: header(l.engine.Revision()), ID: id, TTL: ttl}, nil
}

// KeepAlive implements clientv3.Lease: it renews the lease each third of its TTL
// and closes the channel when the lease, ctx or the client ends. Responses that
// are not taken are dropped.
func (l *lessor) KeepAlive(ctx context.Context, id clientv3.LeaseID) (<-chan *clientv3.LeaseKeepAliveResponse, error) {
	first, err := l.KeepAliveOnce(ctx, id)
	if err != nil {
		return nil, err
	}
	out := make(chan *clientv3.LeaseKeepAliveResponse, clientv3.LeaseResponseChSize)
	out <- first
	go func() {
		defer close(out)
		tick := time.NewTicker(time.Duration(first.TTL) * time.Second / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			case <-l.ctx.Done():
				return
			}
			resp, err := l.KeepAliveOnce(ctx, id)
			if err != nil {
				return
			}
			select {
			case out <- resp:
			default:
			}
		}
	}()
	return out, nil
}

// Close implements clientv3.Lease. Keep-alives end with the client.
func (l *lessor) Close() error { return nil }
