package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/utils/clock"

	"github.com/tabernetes/tabernetes/core/store"
)

// Upstream's watch cache over etcd3 over our store, under those entry points of
// the suite that upstream calls it with and that need no look inside the cacher
// (k8s.io/apiserver/pkg/storage/cacher/cacher_test.go).

// cached is a watch cache and the backend below it.
type cached struct {
	*cacher.CacheDelegator
	b *backend
}

func newCached(t testing.TB, configure ...func(*cacher.Config)) *cached {
	t.Helper()
	b := newBackend(t, func(s *setup) { s.prefix = "/registry" }) // which TestList expects here
	// With the store installed, the cacher finds that watch progress is supported.
	t.Cleanup(store.Install(b.ours))
	config := cacher.Config{
		Storage:             b,
		Versioner:           storage.APIObjectVersioner{},
		GroupResource:       schema.GroupResource{Resource: "pods"},
		EventsHistoryWindow: cacher.DefaultEventFreshDuration,
		ResourcePrefix:      "/pods/",
		KeyFunc:             func(obj runtime.Object) (string, error) { return storage.NamespaceKeyFunc("/pods/", obj) },
		GetAttrsFunc:        podAttrs,
		NewFunc:             func() runtime.Object { return &example.Pod{} },
		NewListFunc:         func() runtime.Object { return &example.PodList{} },
		Indexers:            &cache.Indexers{},
		Codec:               codec,
		Clock:               clock.RealClock{},
	}
	for _, f := range configure {
		f(&config)
	}
	c, err := cacher.NewCacherFromConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := cacher.NewCacheDelegator(c, b)
	t.Cleanup(d.Stop)
	return &cached{d, b}
}

func podAttrs(obj runtime.Object) (labels.Set, fields.Set, error) {
	pod, ok := obj.(*example.Pod)
	if !ok {
		return nil, nil, fmt.Errorf("%T is not a pod", obj)
	}
	return labels.Set(pod.Labels), fields.Set{
		"metadata.name":      pod.Name,
		"metadata.namespace": pod.Namespace,
		"spec.nodeName":      pod.Spec.NodeName,
		"spec.restartPolicy": string(pod.Spec.RestartPolicy),
		"status.phase":       string(pod.Status.Phase),
	}, nil
}

// indexed gives the cache the indexes that pods have in a cluster.
func indexed(c *cacher.Config) {
	c.IndexerFuncs = storage.IndexerFuncs{
		"spec.nodeName": func(obj runtime.Object) string { return obj.(*example.Pod).Spec.NodeName },
	}
	c.Indexers = &cache.Indexers{
		"f:spec.nodeName": func(obj any) ([]string, error) {
			return []string{obj.(*example.Pod).Spec.NodeName}, nil
		},
		"f:metadata.namespace": func(obj any) ([]string, error) {
			return []string{obj.(*example.Pod).Namespace}, nil
		},
	}
}

// clusterScoped keys objects without their namespace.
func clusterScoped(c *cacher.Config) {
	c.KeyFunc = func(obj runtime.Object) (string, error) { return storage.NoNamespaceKeyFunc("/pods/", obj) }
}

// compact compacts the store and waits until the cache has followed.
func (c *cached) compact(ctx context.Context, t *testing.T, resourceVersion string) {
	t.Helper()
	c.b.compact(ctx, t, resourceVersion)
	if !utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot) {
		return
	}
	for fmt.Sprint(c.CompactRevision()) != resourceVersion {
		select {
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// createAndSee waits after each create until the cache has the object: what it
// serves is allowed to be behind, and the suite's watch semantics are not about that.
type createAndSee struct{ *cached }

func (c createAndSee) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	if err := c.cached.Create(ctx, key, obj, out, ttl); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, wait.ForeverTestTimeout, true, func(ctx context.Context) (bool, error) {
		seen := &example.Pod{}
		err := c.Get(ctx, key, storage.GetOptions{ResourceVersion: "0", IgnoreNotFound: true}, seen)
		return err == nil && apiequality.Semantic.DeepEqual(seen, out), err
	})
}

func TestCacher(t *testing.T) {
	nativelyOnly(t, "the cache is upstream's alone, its entry points run on the storage below, and waiting makes up its minute")
	noStoredCheck := func(context.Context, *testing.T, string) {}
	noCallCheck := func(*testing.T, uint64, uint64) {}
	type run = func(context.Context, *testing.T, *cached)
	for _, c := range []struct {
		name      string
		configure []func(*cacher.Config)
		run       run
	}{
		{"Create", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestCreate(ctx, t, s, noStoredCheck)
		}},
		{"CreateWithTTL", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestCreateWithTTL(ctx, t, s) }},
		{"CreateWithKeyExist", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestCreateWithKeyExist(ctx, t, s)
		}},
		{"Get", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestGet(ctx, t, s) }},
		{"UnconditionalDelete", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestUnconditionalDelete(ctx, t, s)
		}},
		{"ConditionalDelete", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestConditionalDelete(ctx, t, s) }},
		{"DeleteWithSuggestion", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestDeleteWithSuggestion(ctx, t, s)
		}},
		{"DeleteWithSuggestionAndConflict", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestDeleteWithSuggestionAndConflict(ctx, t, s)
		}},
		{"DeleteWithSuggestionOfDeletedObject", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestDeleteWithSuggestionOfDeletedObject(ctx, t, s)
		}},
		{"ValidateDeletionWithSuggestion", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestValidateDeletionWithSuggestion(ctx, t, s)
		}},
		{"ValidateDeletionWithOnlySuggestionValid", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestValidateDeletionWithOnlySuggestionValid(ctx, t, s)
		}},
		{"DeleteWithConflict", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestDeleteWithConflict(ctx, t, s)
		}},
		{"PreconditionalDeleteWithSuggestion", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestPreconditionalDeleteWithSuggestion(ctx, t, s)
		}},
		{"PreconditionalDeleteWithOnlySuggestionPass", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestPreconditionalDeleteWithOnlySuggestionPass(ctx, t, s)
		}},
		{"ListPaging", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestListPaging(ctx, t, s) }},
		{"GetListRecursivePrefix", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestGetListRecursivePrefix(ctx, t, s)
		}},
		{"ListContinuation", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestListContinuation(ctx, t, s, noCallCheck)
		}},
		{"ListPaginationRareObject", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestListPaginationRareObject(ctx, t, s, noCallCheck)
		}},
		{"ListContinuationWithFilter", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestListContinuationWithFilter(ctx, t, s, noCallCheck)
		}},
		{"NamespaceScopedList", []func(*cacher.Config){indexed}, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestNamespaceScopedList(ctx, t, s)
		}},
		{"GuaranteedUpdateWithTTL", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestGuaranteedUpdateWithTTL(ctx, t, s)
		}},
		{"GuaranteedUpdateWithConflict", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestGuaranteedUpdateWithConflict(ctx, t, s)
		}},
		{"GuaranteedUpdateWithSuggestionAndConflict", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestGuaranteedUpdateWithSuggestionAndConflict(ctx, t, s)
		}},
		{"KeySchema", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestKeySchema(ctx, t, s) }},
		{"Watch", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestWatch(ctx, t, s) }},
		{"DeleteTriggerWatch", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestDeleteTriggerWatch(ctx, t, s)
		}},
		{"WatchFromNonZero", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestWatchFromNonZero(ctx, t, s) }},
		{"DelayedWatchDelivery", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestDelayedWatchDelivery(ctx, t, s)
		}},
		{"WatcherTimeout", nil, func(ctx context.Context, t *testing.T, s *cached) { storagetesting.RunTestWatcherTimeout(ctx, t, s) }},
		{"WatchDeleteEventObjectHaveLatestRV", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestWatchDeleteEventObjectHaveLatestRV(ctx, t, s)
		}},
		{"WatchInitializationSignal", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestWatchInitializationSignal(ctx, t, s)
		}},
		{"ClusterScopedWatch", []func(*cacher.Config){clusterScoped, indexed}, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestClusterScopedWatch(ctx, t, s)
		}},
		{"NamespaceScopedWatch", []func(*cacher.Config){indexed}, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestNamespaceScopedWatch(ctx, t, s)
		}},
		{"WatchDispatchBookmarkEvents", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestWatchDispatchBookmarkEvents(ctx, t, s, true)
		}},
		{"OptionalWatchBookmarksWithCorrectResourceVersion", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunTestOptionalWatchBookmarksWithCorrectResourceVersion(ctx, t, s)
		}},
		{"SendInitialEventsBackwardCompatibility", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunSendInitialEventsBackwardCompatibility(ctx, t, s)
		}},
		{"WatchSemantics", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunWatchSemantics(ctx, t, createAndSee{s})
		}},
		{"WatchSemanticInitialEventsExtended", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunWatchSemanticInitialEventsExtended(ctx, t, createAndSee{s})
		}},
		{"WatchListMatchSingle", nil, func(ctx context.Context, t *testing.T, s *cached) {
			storagetesting.RunWatchListMatchSingle(ctx, t, createAndSee{s})
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t.Context(), t, newCached(t, c.configure...)) })
	}
}

// TestCacherLists runs what depends on consistent reads and reads at old
// revisions from the cache, with and without its snapshots.
func TestCacherLists(t *testing.T) {
	nativelyOnly(t, "the cache is upstream's alone, its entry points run on the storage below, and waiting makes up its minute")
	for _, snapshots := range []bool{true, false} {
		t.Run(fmt.Sprintf("snapshots=%v", snapshots), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.ListFromCacheSnapshot, snapshots)
			t.Run("List", func(t *testing.T) {
				s := newCached(t)
				storagetesting.RunTestList(t.Context(), t, s, s.compact, true, s.b.lists)
			})
			t.Run("ConsistentList", func(t *testing.T) {
				s := newCached(t)
				storagetesting.RunTestConsistentList(t.Context(), t, s, s.b.increaseRV, true, true, snapshots)
			})
			t.Run("GetListNonRecursive", func(t *testing.T) {
				s := newCached(t)
				storagetesting.RunTestGetListNonRecursive(t.Context(), t, s.b.increaseRV, s)
			})
			if snapshots {
				t.Run("CompactRevision", func(t *testing.T) {
					s := newCached(t)
					storagetesting.RunTestCompactRevision(t.Context(), t, s, s.b.increaseRV, s.compact)
				})
			}
		})
	}
}
