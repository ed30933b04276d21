package kubelet

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// relists records when, since the start of the test, which pod was asked for.
type relists struct {
	start time.Time
	mu    sync.Mutex
	at    map[types.UID][]time.Duration
}

func (r *relists) RequestPodRelist(uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at[uid] = append(r.at[uid], time.Since(r.start))
}

// eventRuntime offers events; every other method of Runtime would panic.
type eventRuntime struct {
	Runtime
	stream func(ctx context.Context, events chan *runtimeapi.ContainerEventResponse) error
}

func (r *eventRuntime) GetContainerEvents(ctx context.Context, events chan *runtimeapi.ContainerEventResponse, _ func(runtimeapi.RuntimeService_GetContainerEventsClient)) error {
	return r.stream(ctx, events)
}

func event(uid string, typ runtimeapi.ContainerEventType) *runtimeapi.ContainerEventResponse {
	return &runtimeapi.ContainerEventResponse{
		ContainerEventType: typ,
		PodSandboxStatus:   &runtimeapi.PodSandboxStatus{Metadata: &runtimeapi.PodSandboxMetadata{Uid: uid}},
	}
}

func TestEventsAskForRelists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		got := &relists{start: time.Now(), at: map[types.UID][]time.Duration{}}
		calls := 0
		runtime := &eventRuntime{stream: func(ctx context.Context, events chan *runtimeapi.ContainerEventResponse) error {
			calls++
			if calls == 1 {
				events <- event("created", runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT)
				events <- event("started", runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT)
				events <- &runtimeapi.ContainerEventResponse{} // its sandbox is gone
				return status.Error(codes.Unavailable, "broken off")
			}
			events <- event("stopped", runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT)
			<-ctx.Done()
			return ctx.Err()
		}}
		go relistOnEvents(ctx, runtime, got)
		time.Sleep(5 * time.Second)
		cancel()
		synctest.Wait()

		if calls != 2 {
			t.Errorf("the stream was opened %d times", calls)
		}
		if len(got.at) != 2 || !slices.Equal(got.at["started"], []time.Duration{0}) {
			t.Errorf("relists: %v", got.at)
		}
		if !slices.Equal(got.at["stopped"], []time.Duration{relistRetry}) {
			t.Errorf("relists after a stop: %v", got.at["stopped"])
		}
	})
}

func TestRuntimeWithoutEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			relistOnEvents(ctx, &eventRuntime{stream: func(context.Context, chan *runtimeapi.ContainerEventResponse) error {
				return status.Error(codes.Unimplemented, "none")
			}}, &relists{})
		}()
		<-done // returns at once instead of asking again and again
	})
}

func TestEachSyncIsFollowedByRelists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := &relists{start: time.Now(), at: map[types.UID][]time.Duration{}}
		echo := newSyncEcho(got)
		if echo.ShouldEvict(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "a"}}).Evict {
			t.Error("the pod is evicted")
		}
		time.Sleep(time.Second)
		if !slices.Equal(got.at["a"], relistAfterSync) {
			t.Errorf("relists at %v", got.at["a"])
		}

		// A pod that syncs without end is held back.
		for range 100_000 {
			echo.ShouldEvict(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "b"}})
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(time.Second)
		if n := len(got.at["b"]) / len(relistAfterSync); n > 400+10*20+1 {
			t.Errorf("%d of 100000 syncs in 10 s were followed by relists", n)
		}
	})
}
