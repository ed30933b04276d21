package store_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// TestSlowWatchExpires has a watch of storage that nobody reads while more is
// written than history holds. Writers do not notice. Its reader then gets the first
// events, in order, if any, and 410 Gone; a watch that begins with the state (WatchList)
// brings it back to the present.
func TestSlowWatchExpires(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.WatchList, true)
	const pods, history = 1000, 50
	b := newBackend(t, func(s *setup) { s.store.HistoryRecords = history })
	slow, err := b.Watch(t.Context(), "/pods/", storage.ListOptions{Recursive: true, ResourceVersion: "1", Predicate: storage.Everything})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Stop()
	for i := range pods {
		createPod(t, b, fmt.Sprintf("p%04d", i))
	}
	if s := b.ours.Status(); s.HistoryRecords > history {
		t.Errorf("history holds %d revisions, want %d at most", s.HistoryRecords, history)
	}

	seen := 0
	for e := range slow.ResultChan() {
		if e.Type == watch.Error {
			if err := apierrors.FromObject(e.Object); !apierrors.IsResourceExpired(err) {
				t.Errorf("after %d events: %v, want 410 Gone", seen, err)
			}
			break
		}
		if got, want := e.Object.(*example.Pod).Name, fmt.Sprintf("p%04d", seen); got != want {
			t.Fatalf("event %d is of %s", seen, got)
		}
		seen++
	}
	// Upstream's watch may drop what it had when the error comes.
	if seen == pods {
		t.Error("nothing was too slow: the test proves nothing")
	}

	yes := true
	fresh, err := b.Watch(t.Context(), "/pods/", storage.ListOptions{Recursive: true, Predicate: allWithBookmarks(), SendInitialEvents: &yes})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Stop()
	for got := 0; ; got++ {
		e := <-fresh.ResultChan()
		if e.Type == watch.Bookmark {
			if e.Object.(*example.Pod).Annotations[metav1.InitialEventsAnnotationKey] != "true" || got != pods {
				t.Errorf("%+v after %d pods, want the end of the initial %d", e.Object, got, pods)
			}
			break
		}
		if e.Type != watch.Added {
			t.Fatalf("%d: %+v", got, e)
		}
	}
}

func allWithBookmarks() storage.SelectionPredicate {
	p := storage.Everything
	p.AllowWatchBookmarks = true
	return p
}

// TestStalledWatchersCostNothing has many watchers that nobody reads. Buffered for
// each of them, what is written would be gigabytes.
func TestStalledWatchersCostNothing(t *testing.T) {
	const watchers, writes, size = 1000, 3000, 3000
	s, err := store.Open(store.Options{HistoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := s.Client()
	defer c.Close()
	goroutines := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range watchers {
		c.Watch(ctx, "/k", clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithRev(2))
	}
	before := heap()
	rev := int64(0)
	for i := range writes {
		value := make([]byte, size)
		value[0] = byte(i)
		resp, err := c.Kubernetes.OptimisticPut(t.Context(), "/k", value, rev, kubernetes.PutOptions{})
		if err != nil || !resp.Succeeded {
			t.Fatal(resp, err)
		}
		rev = resp.Revision
	}
	if grown := heap() - before; grown > 64<<20 {
		t.Errorf("%d MiB held for watchers that do not read", grown>>20)
	}
	// Who asked is gone without having read a thing.
	cancel()
	eventually.True(t, "watchers are forgotten", func() bool {
		return s.Status().Watchers == 0 && runtime.NumGoroutine() <= goroutines+10
	})
}

// heap is what is in use, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
