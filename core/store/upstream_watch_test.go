package store_test

import (
	"testing"
	"time"

	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage/etcd3"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
)

// Upstream's watch suite (k8s.io/apiserver/pkg/storage/testing/watcher_tests.go),
// each entry point called as etcd3/watcher_test.go calls it for a real etcd.

// within150ms is why some are not run on js.
const within150ms = "it expects each event within 150 ms of the one before, from a score of watches at once"

func TestWatch(t *testing.T) {
	storagetesting.RunTestWatch(t.Context(), t, newBackend(t))
}

func TestClusterScopedWatch(t *testing.T) {
	storagetesting.RunTestClusterScopedWatch(t.Context(), t, newBackend(t))
}

func TestNamespaceScopedWatch(t *testing.T) {
	storagetesting.RunTestNamespaceScopedWatch(t.Context(), t, newBackend(t))
}

func TestDeleteTriggerWatch(t *testing.T) {
	storagetesting.RunTestDeleteTriggerWatch(t.Context(), t, newBackend(t))
}

func TestWatchFromZero(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestWatchFromZero(t.Context(), t, b, b.compact)
}

func TestWatchFromNonZero(t *testing.T) {
	storagetesting.RunTestWatchFromNonZero(t.Context(), t, newBackend(t))
}

func TestDelayedWatchDelivery(t *testing.T) {
	storagetesting.RunTestDelayedWatchDelivery(t.Context(), t, newBackend(t))
}

func TestWatchError(t *testing.T) {
	storagetesting.RunTestWatchError(t.Context(), t, newBackend(t))
}

func TestWatchContextCancel(t *testing.T) {
	storagetesting.RunTestWatchContextCancel(t.Context(), t, newBackend(t))
}

func TestWatcherTimeout(t *testing.T) {
	storagetesting.RunTestWatcherTimeout(t.Context(), t, newBackend(t))
}

func TestWatchDeleteEventObjectHaveLatestRV(t *testing.T) {
	storagetesting.RunTestWatchDeleteEventObjectHaveLatestRV(t.Context(), t, newBackend(t))
}

func TestWatchInitializationSignal(t *testing.T) {
	storagetesting.RunTestWatchInitializationSignal(t.Context(), t, newBackend(t))
}

func TestProgressNotify(t *testing.T) {
	b := newBackend(t, progressEvery(time.Second))
	storagetesting.RunOptionalTestProgressNotify(t.Context(), t, b, b.increaseRV)
}

func TestWatchWithUnsafeDelete(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.AllowUnsafeMalformedObjectDeletion, true)
	b := newBackend(t, func(s *setup) { s.transformer = etcd3.WithCorruptObjErrorHandlingTransformer })
	storagetesting.RunTestWatchWithUnsafeDelete(t.Context(), t, b)
}

func TestWatchDispatchBookmarkEvents(t *testing.T) {
	// etcd3 itself sends no bookmarks to clients that allow them; the cacher does.
	b := newBackend(t, progressEvery(time.Second))
	storagetesting.RunTestWatchDispatchBookmarkEvents(t.Context(), t, b, false)
}

func TestSendInitialEventsBackwardCompatibility(t *testing.T) {
	storagetesting.RunSendInitialEventsBackwardCompatibility(t.Context(), t, newBackend(t))
}

func TestWatchSemantics(t *testing.T) {
	nativelyOnly(t, within150ms)
	storagetesting.RunWatchSemantics(t.Context(), t, newBackend(t))
}

func TestWatchSemanticsWithConcurrentDecode(t *testing.T) {
	nativelyOnly(t, within150ms)
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.ConcurrentWatchObjectDecode, true)
	storagetesting.RunWatchSemantics(t.Context(), t, newBackend(t))
}

func TestWatchSemanticInitialEventsExtended(t *testing.T) {
	storagetesting.RunWatchSemanticInitialEventsExtended(t.Context(), t, newBackend(t))
}

func TestWatchListMatchSingle(t *testing.T) {
	storagetesting.RunWatchListMatchSingle(t.Context(), t, newBackend(t))
}

func TestWatchErrorIsBlockingFurtherEvents(t *testing.T) {
	storagetesting.RunWatchErrorIsBlockingFurtherEvents(t.Context(), t, newBackend(t))
}
