package reconcile

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
)

// Each calls sync for each key of the queue, until that is shut down. A key whose sync failed comes again, later
// each time. failed is told, unless somebody else only wrote meanwhile (a conflict), or ctx has ended; nil tells
// nobody.
func Each[K comparable](ctx context.Context, queue workqueue.TypedRateLimitingInterface[K], sync func(context.Context, K) error, failed func(err error, key K)) {
	for {
		key, end := queue.Get()
		if end {
			return
		}
		if err := sync(ctx, key); err == nil || ctx.Err() != nil {
			queue.Forget(key)
		} else {
			if failed != nil && !apierrors.IsConflict(err) {
				failed(err, key)
			}
			queue.AddRateLimited(key)
		}
		queue.Done(key)
	}
}
