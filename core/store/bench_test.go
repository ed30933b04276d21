package store_test

import (
	"context"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"

	"github.com/tabernetes/tabernetes/core/store"
)

// value is about the size of a pod in protobuf.
var podBytes = make([]byte, 3000)

func benchClient(b *testing.B) *kubernetes.Client {
	b.Helper()
	s, err := store.Open(store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	c := s.Client()
	b.Cleanup(func() { _ = c.Close(); _ = s.Close() })
	return c
}

func mustPut(b *testing.B, c *kubernetes.Client, key string, expected int64) int64 {
	b.Helper()
	resp, err := c.Kubernetes.OptimisticPut(b.Context(), key, podBytes, expected, kubernetes.PutOptions{})
	if err != nil || !resp.Succeeded {
		b.Fatalf("put %s: %+v, %v", key, resp, err)
	}
	return resp.Revision
}

func podKey(i int) string { return fmt.Sprintf("/registry/pods/ns-%d/pod-%08d", i%10, i) }

func BenchmarkCreate(b *testing.B) {
	c := benchClient(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		mustPut(b, c, podKey(i), 0)
	}
}

func BenchmarkUpdate(b *testing.B) {
	c := benchClient(b)
	for i := range 1000 {
		mustPut(b, c, podKey(i), 0)
	}
	rev := mustPut(b, c, "/registry/pods/x", 0)
	b.ReportAllocs()
	for b.Loop() {
		rev = mustPut(b, c, "/registry/pods/x", rev)
	}
}

func BenchmarkGet(b *testing.B) {
	c := benchClient(b)
	for i := range 1000 {
		mustPut(b, c, podKey(i), 0)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if r, err := c.Kubernetes.Get(b.Context(), podKey(i%1000), kubernetes.GetOptions{}); err != nil || r.KV == nil {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	c := benchClient(b)
	const pods = 1000
	for i := range pods {
		mustPut(b, c, podKey(i), 0)
	}
	middle := mustPut(b, c, "/registry/pods/x", 0)
	for i := range 1000 { // the past is 1000 revisions away
		mustPut(b, c, fmt.Sprint("/registry/leases/", i), 0)
	}
	for _, bm := range []struct {
		name string
		opts kubernetes.ListOptions
		want int
	}{
		{"latest", kubernetes.ListOptions{}, pods + 1},
		{"page", kubernetes.ListOptions{Limit: 100}, 100},
		{"past", kubernetes.ListOptions{Revision: middle}, pods + 1},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Kubernetes.List(b.Context(), "/registry/pods/", bm.opts)
				if err != nil || len(r.Kvs) != bm.want {
					b.Fatal(len(r.Kvs), err)
				}
			}
		})
	}
}

// BenchmarkWatchFanOut is the time from a write until all watchers have its event.
func BenchmarkWatchFanOut(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := benchClient(b)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			seen := make(chan struct{}, n)
			for range n {
				ch := c.Watch(ctx, "/registry/pods/", clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithRev(2))
				go func() {
					for r := range ch {
						for range r.Events {
							seen <- struct{}{}
						}
					}
				}()
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				mustPut(b, c, podKey(i), 0)
				for range n {
					<-seen
				}
			}
		})
	}
}

// BenchmarkIdleWatchers is what watchers of other resources cost a write.
func BenchmarkIdleWatchers(b *testing.B) {
	c := benchClient(b)
	for i := range 150 {
		c.Watch(b.Context(), fmt.Sprintf("/registry/resource-%d/", i), clientv3.WithPrefix())
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		mustPut(b, c, podKey(i), 0)
	}
}

// BenchmarkConsistentList is a list of the latest through the watch cache right
// after an unrelated write, which the cache has to learn of first.
func BenchmarkConsistentList(b *testing.B) {
	s := newCached(b)
	pod := &example.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "ns"}}
	if err := s.Create(b.Context(), "/pods/ns/a", pod, nil, 0); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.b.client.KV.Put(b.Context(), "/registry/leases/x", "v"); err != nil {
			b.Fatal(err)
		}
		list := &example.PodList{}
		if err := s.GetList(b.Context(), "/pods/", storage.ListOptions{Recursive: true, Predicate: storage.Everything}, list); err != nil {
			b.Fatal(err)
		}
		if len(list.Items) != 1 {
			b.Fatal(list)
		}
	}
}

// Upstream's benchmarks.

func BenchmarkStoreListCreate(b *testing.B) {
	for _, match := range []metav1.ResourceVersionMatch{metav1.ResourceVersionMatchNotOlderThan, metav1.ResourceVersionMatchExact} {
		b.Run(string(match), func(b *testing.B) {
			storagetesting.RunBenchmarkStoreListCreate(b.Context(), b, newBackend(b), match)
		})
	}
}

// benchmarkData fills a backend as a cluster of 100 nodes might.
func benchmarkData(b *testing.B) (*backend, storagetesting.BenchmarkData) {
	b.Helper()
	data := storagetesting.PrepareBenchchmarkData(10, 300, 100)
	s := newBackend(b)
	for _, pod := range data.Pods {
		if err := s.Create(b.Context(), fmt.Sprintf("/pods/%s/%s", pod.Namespace, pod.Name), pod, nil, 0); err != nil {
			b.Fatal(err)
		}
	}
	return s, data
}

func BenchmarkStoreList(b *testing.B) {
	s, data := benchmarkData(b)
	storagetesting.RunBenchmarkStoreList(b.Context(), b, s, data, false)
}

func BenchmarkStoreStats(b *testing.B) {
	s, _ := benchmarkData(b)
	storagetesting.RunBenchmarkStoreStats(b.Context(), b, s)
}
