package kubelet

import (
	"context"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	kubetypes "k8s.io/kubelet/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

// The kubelet learns what its containers do from a relist of everything, once a
// second, and each phase of a pod's life waits for one. Upstream can relist one
// pod on demand (PLEGOnDemandRelist, on by default) but asks for it in one place
// only, after it started or stopped something. Here it is asked for
//
//   - on each event of the container runtime, so that a container that ends is
//     noticed at once;
//   - after each sync of a pod: the pod's worker goes on to the next update
//     only with a status newer than the end of the last sync (podWorkerLoop in
//     pkg/kubelet/pod_workers.go, whose own comment regrets the second).
//
// Upstream's EventedPLEG would take the same events, but it keeps "is in use" in
// a variable of the package, so only the first kubelet of a process starts it,
// and it is still alpha.

// relister is the kubelet's method that asks for a relist of one pod. A request
// is dropped if a relist was begun after it, and if 200 are waiting.
type relister interface{ RequestPodRelist(podUID types.UID) }

// knownPods passes on only requests for pods that the runtime knows: upstream
// takes it for an error, and logs it, if there is nothing to list.
type knownPods struct {
	kubelet relister
	runtime Runtime
}

func (k knownPods) RequestPodRelist(podUID types.UID) {
	sandboxes, err := k.runtime.ListPodSandbox(context.Background(), &runtimeapi.PodSandboxFilter{
		LabelSelector: map[string]string{kubetypes.KubernetesPodUIDLabel: string(podUID)},
	})
	if err == nil && len(sandboxes) > 0 {
		k.kubelet.RequestPodRelist(podUID)
	}
}

// relistRetry is the wait after the runtime's event stream broke off.
const relistRetry = time.Second

// relistOnEvents runs until ctx ends, or the runtime says it has no events.
func relistOnEvents(ctx context.Context, runtime Runtime, kl relister) {
	logger := klog.FromContext(ctx)
	events := make(chan *runtimeapi.ContainerEventResponse, 256)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case event := <-events:
				// A container that was only created changes nothing in a pod's status.
				uid := event.GetPodSandboxStatus().GetMetadata().GetUid()
				if uid != "" && event.ContainerEventType != runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT {
					kl.RequestPodRelist(types.UID(uid))
				}
			}
		}
	}()
	for ctx.Err() == nil {
		err := runtime.GetContainerEvents(ctx, events, func(runtimeapi.RuntimeService_GetContainerEventsClient) {})
		if status.Code(err) == codes.Unimplemented {
			logger.Info("The container runtime has no events; container changes are noticed within a second")
			return
		}
		if ctx.Err() == nil {
			logger.V(2).Info("Container events broke off, will retry", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(relistRetry):
		}
	}
}

// relistAfterSync are the relists after a sync has begun. When it ends nobody
// tells; most take a few milliseconds, natively and in the tab.
var relistAfterSync = []time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond}

// syncEcho asks for relists after each sync of a pod. The rate limit (of syncs,
// for the node) holds a pod whose sync asks for a sync, such as a resize that the
// runtime refuses, to about upstream's pace.
type syncEcho struct {
	kubelet relister
	limit   *rate.Limiter
}

var _ lifecycle.PodSyncHandler = (*syncEcho)(nil)

func newSyncEcho(kl relister) *syncEcho {
	return &syncEcho{kubelet: kl, limit: rate.NewLimiter(20, 400)}
}

// ShouldEvict never evicts: upstream invokes it in each sync, which is what is
// wanted of it.
func (e *syncEcho) ShouldEvict(pod *corev1.Pod) lifecycle.ShouldEvictResponse {
	if e.limit.Allow() {
		for _, after := range relistAfterSync {
			time.AfterFunc(after, func() { e.kubelet.RequestPodRelist(pod.UID) })
		}
	}
	return lifecycle.ShouldEvictResponse{}
}
