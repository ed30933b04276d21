package store_test

import (
	"fmt"
	"testing"

	"k8s.io/apiserver/pkg/features"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
)

// Upstream's storage suite (k8s.io/apiserver/pkg/storage/testing/store_tests.go),
// each entry point called as etcd3/store_test.go calls it for a real etcd.

func TestCreate(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestCreate(t.Context(), t, b, b.checkStored)
}

func TestCreateWithTTL(t *testing.T) {
	storagetesting.RunTestCreateWithTTL(t.Context(), t, newBackend(t))
}

func TestCreateWithKeyExist(t *testing.T) {
	storagetesting.RunTestCreateWithKeyExist(t.Context(), t, newBackend(t))
}

func TestGet(t *testing.T) {
	storagetesting.RunTestGet(t.Context(), t, newBackend(t))
}

func TestUnconditionalDelete(t *testing.T) {
	storagetesting.RunTestUnconditionalDelete(t.Context(), t, newBackend(t))
}

func TestConditionalDelete(t *testing.T) {
	storagetesting.RunTestConditionalDelete(t.Context(), t, newBackend(t))
}

func TestDeleteWithSuggestion(t *testing.T) {
	storagetesting.RunTestDeleteWithSuggestion(t.Context(), t, newBackend(t))
}

func TestDeleteWithSuggestionAndConflict(t *testing.T) {
	storagetesting.RunTestDeleteWithSuggestionAndConflict(t.Context(), t, newBackend(t))
}

func TestDeleteWithSuggestionOfDeletedObject(t *testing.T) {
	storagetesting.RunTestDeleteWithSuggestionOfDeletedObject(t.Context(), t, newBackend(t))
}

func TestValidateDeletionWithSuggestion(t *testing.T) {
	storagetesting.RunTestValidateDeletionWithSuggestion(t.Context(), t, newBackend(t))
}

func TestValidateDeletionWithOnlySuggestionValid(t *testing.T) {
	storagetesting.RunTestValidateDeletionWithOnlySuggestionValid(t.Context(), t, newBackend(t))
}

func TestDeleteWithConflict(t *testing.T) {
	storagetesting.RunTestDeleteWithConflict(t.Context(), t, newBackend(t))
}

func TestPreconditionalDeleteWithSuggestion(t *testing.T) {
	storagetesting.RunTestPreconditionalDeleteWithSuggestion(t.Context(), t, newBackend(t))
}

func TestPreconditionalDeleteWithOnlySuggestionPass(t *testing.T) {
	storagetesting.RunTestPreconditionalDeleteWithOnlySuggestionPass(t.Context(), t, newBackend(t))
}

func TestListPaging(t *testing.T) {
	storagetesting.RunTestListPaging(t.Context(), t, newBackend(t))
}

func TestGetListNonRecursive(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestGetListNonRecursive(t.Context(), t, b.increaseRV, b)
}

func TestGetListRecursivePrefix(t *testing.T) {
	storagetesting.RunTestGetListRecursivePrefix(t.Context(), t, newBackend(t))
}

func TestKeySchema(t *testing.T) {
	storagetesting.RunTestKeySchema(t.Context(), t, newBackend(t))
}

func TestGuaranteedUpdate(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestGuaranteedUpdate(t.Context(), t, b, b.checkStored)
}

func TestGuaranteedUpdateWithTTL(t *testing.T) {
	storagetesting.RunTestGuaranteedUpdateWithTTL(t.Context(), t, newBackend(t))
}

func TestGuaranteedUpdateChecksStoredData(t *testing.T) {
	storagetesting.RunTestGuaranteedUpdateChecksStoredData(t.Context(), t, newBackend(t))
}

func TestGuaranteedUpdateWithConflict(t *testing.T) {
	storagetesting.RunTestGuaranteedUpdateWithConflict(t.Context(), t, newBackend(t))
}

func TestGuaranteedUpdateWithSuggestionAndConflict(t *testing.T) {
	storagetesting.RunTestGuaranteedUpdateWithSuggestionAndConflict(t.Context(), t, newBackend(t))
}

func TestTransformationFailure(t *testing.T) {
	storagetesting.RunTestTransformationFailure(t.Context(), t, newBackend(t))
}

func TestList(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestList(t.Context(), t, b, b.compact, false, b.lists)
}

func TestConsistentList(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestConsistentList(t.Context(), t, b, b.increaseRV, false, true, false)
}

func TestCompactRevision(t *testing.T) {
	// The storage learns of compactions by others with this feature only.
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.ListFromCacheSnapshot, true)
	b := newBackend(t)
	storagetesting.RunTestCompactRevision(t.Context(), t, b, b.increaseRV, b.compact)
}

func TestListContinuation(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestListContinuation(t.Context(), t, b, b.checkCalls())
}

func TestListPaginationRareObject(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestListPaginationRareObject(t.Context(), t, b, b.checkCalls())
}

func TestListContinuationWithFilter(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestListContinuationWithFilter(t.Context(), t, b, b.checkCalls())
}

func TestNamespaceScopedList(t *testing.T) {
	storagetesting.RunTestNamespaceScopedList(t.Context(), t, newBackend(t))
}

func TestListInconsistentContinuation(t *testing.T) {
	b := newBackend(t)
	storagetesting.RunTestListInconsistentContinuation(t.Context(), t, b, b.compact)
}

func TestListResourceVersionMatch(t *testing.T) {
	storagetesting.RunTestListResourceVersionMatch(t.Context(), t, newBackend(t))
}

func TestStats(t *testing.T) {
	for _, sizes := range []bool{true, false} {
		t.Run(fmt.Sprintf("sizes=%v", sizes), func(t *testing.T) {
			b := newBackend(t)
			if sizes {
				if err := b.estimate(); err != nil {
					t.Fatal(err)
				}
			}
			storagetesting.RunTestStats(t.Context(), t, b, codec, b.transformer, sizes)
		})
	}
}
