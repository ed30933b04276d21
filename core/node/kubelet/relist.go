package kubelet

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
)

// Containers that start, stop or go are noticed at once: each event of the
// runtime asks the kubelet's pod lifecycle event generator for an on-demand
// relist of that one pod (upstream's PLEGOnDemandRelist, on by default). The
// generator's own relist of everything, once a second, remains as the net below.
//
// Upstream's EventedPLEG would take the same events, but it keeps "is in use" in
// a variable of the package, so only the first kubelet of a process starts it,
// and it is still alpha.

// relistRetry is the wait after the runtime's event stream broke off.
const relistRetry = time.Second

// relistAfterStop are further relists after a container or sandbox stopped. A
// pod worker that goes on to the next phase (syncing, terminating, terminated)
// first waits for a status newer than the end of the last phase, which is some
// time after the event; without these it waits for the relist of everything, up
// to a second for each phase (see podWorkerLoop in pkg/kubelet/pod_workers.go).
var relistAfterStop = []time.Duration{
	20 * time.Millisecond, 60 * time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond,
}

// relister is the kubelet's method that asks for a relist.
type relister interface{ RequestPodRelist(podUID types.UID) }

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
				relistOn(event, kl)
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

func relistOn(event *runtimeapi.ContainerEventResponse, kl relister) {
	uid := types.UID(event.GetPodSandboxStatus().GetMetadata().GetUid())
	if uid == "" || event.ContainerEventType == runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT {
		return // a container that was only created changes nothing in a pod's status
	}
	kl.RequestPodRelist(uid)
	if event.ContainerEventType != runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT {
		return
	}
	for _, after := range relistAfterStop {
		time.AfterFunc(after, func() { kl.RequestPodRelist(uid) })
	}
}
