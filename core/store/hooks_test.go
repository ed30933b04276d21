package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// The functions the suite takes to look behind the storage it tests.

// bitFlipper makes all data unreadable.
type bitFlipper struct{ value.Transformer }

func (bitFlipper) TransformFromStorage(context.Context, []byte, value.Context) ([]byte, bool, error) {
	return nil, true, errors.New("bits flipped")
}

// checkStored verifies that what is stored under a key is a pod without the
// fields that are not to be stored.
func (b *backend) checkStored(ctx context.Context, t *testing.T, key string) {
	t.Helper()
	resp, err := b.client.KV.Get(ctx, key)
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	if len(resp.Kvs) != 1 {
		t.Fatalf("%s: want one value, got %d", key, len(resp.Kvs))
	}
	obj, err := runtime.Decode(codec, resp.Kvs[0].Value[len(testPrefix):])
	if err != nil {
		t.Fatalf("decode %q: %v", resp.Kvs[0].Value, err)
	}
	pod := obj.(*example.Pod)
	if pod.ResourceVersion != "" || pod.GetSelfLink() != "" {
		t.Errorf("stored with resource version %q and self link %q, want neither", pod.ResourceVersion, pod.GetSelfLink())
	}
}

// increaseRV makes a revision that touches no pod.
func (b *backend) increaseRV(ctx context.Context, t *testing.T) int64 {
	t.Helper()
	resp, err := b.client.KV.Put(ctx, "increaseRV", "ok")
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header.Revision
}

// compact compacts as upstream's compactor does, and waits until the storage has
// seen it if it looks.
func (b *backend) compact(ctx context.Context, t *testing.T, resourceVersion string) {
	t.Helper()
	rv, err := storage.APIObjectVersioner{}.ParseResourceVersion(resourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	version, _, _, err := etcd3.Compact(ctx, b.client.Client, 0, int64(rv))
	if err != nil {
		// Somebody else compacted before: once more at its logical time.
		_, _, _, err = etcd3.Compact(ctx, b.client.Client, version, int64(rv))
	}
	if err != nil {
		t.Fatal(err)
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot) {
		return
	}
	for b.compacted() != int64(rv) {
		select {
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// keys lists the keys of all pods.
func (b *backend) keys(ctx context.Context) ([]string, error) {
	resp, err := b.client.KV.Get(ctx, "/pods/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, kv := range resp.Kvs {
		keys = append(keys, string(kv.Key))
	}
	return keys, nil
}

// checkCalls verifies how many objects were transformed and how many reads that
// took: pages double in size, up to 10,000, while they are not filled.
func (b *backend) checkCalls() storagetesting.CallsValidation {
	const maxLimit = 10_000
	return func(t *testing.T, pageSize, objects uint64) {
		t.Helper()
		if got := b.prefix.GetReadsAndReset(); got != objects {
			t.Errorf("objects transformed: %d, want %d", got, objects)
		}
		want := uint64(1)
		if limit := pageSize; limit != 0 {
			for sum := uint64(1); sum < objects; want++ {
				limit = min(limit*2, maxLimit)
				sum += limit
			}
		}
		if got := b.reads.n.Swap(0); got != want {
			t.Fatalf("reads: %d, want %d", got, want)
		}
	}
}
