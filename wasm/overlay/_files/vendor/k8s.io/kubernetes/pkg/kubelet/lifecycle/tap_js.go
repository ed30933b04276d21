package lifecycle

import (
	"context"

	v1 "k8s.io/api/core/v1"
)

// hook is a hook of core/node/podtrace, nil unless it sets it: it is told of each lifecycle hook that asks a
// container or sleeps as it begins, and what it returns, which may be nil, of its end.
var hook func(ctx context.Context, pod *v1.Pod, container *v1.Container, handler *v1.LifecycleHandler) (ended func(error))

func hooks(ctx context.Context, pod *v1.Pod, container *v1.Container, handler *v1.LifecycleHandler) func(error) {
	if hook != nil {
		if ended := hook(ctx, pod, container, handler); ended != nil {
			return ended
		}
	}
	return func(error) {}
}
