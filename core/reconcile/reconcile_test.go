package reconcile

import (
	"context"
	"errors"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
)

// TestEach: what failed comes again until it does not, a conflict is told to nobody, and what fails as all ends is
// left.
func TestEach(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	queue.Add("a")
	var told []error
	other := errors.New("other")
	results := []error{other, apierrors.NewConflict(schema.GroupResource{}, "a", other), nil, other}
	calls := 0
	Each(ctx, queue, func(_ context.Context, key string) error {
		calls++
		switch calls {
		case 3:
			if n := queue.NumRequeues(key); n != 2 {
				t.Errorf("%d times again, want 2", n)
			}
			queue.Add("b")
		case 4:
			cancel()
			queue.ShutDown()
		}
		return results[calls-1]
	}, func(err error, _ string) { told = append(told, err) })
	if calls != 4 || !slices.Equal(told, []error{other}) {
		t.Errorf("%d calls, told %v", calls, told)
	}
	for _, key := range []string{"a", "b"} {
		if n := queue.NumRequeues(key); n != 0 {
			t.Errorf("%s is kept %d times", key, n)
		}
	}
}
