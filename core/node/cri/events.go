package cri

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// eventQueue is how many events a listener may be behind; containerd's figure.
const eventQueue = 1000

// events tells listeners of what happens to containers and sandboxes.
type events struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
}

type listener struct {
	queue chan *runtimeapi.ContainerEventResponse
	lost  chan struct{} // closed when the queue was full
}

var errEventsLost = status.Error(codes.ResourceExhausted, "container events: the listener is too slow, events are lost")

// any tells whether somebody listens.
func (e *events) any() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.listeners) > 0
}

func (e *events) send(event *runtimeapi.ContainerEventResponse) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for l := range e.listeners {
		select {
		case l.queue <- event:
		default: // it starts over, with a list
			close(l.lost)
			delete(e.listeners, l)
		}
	}
}

func (e *events) listen() *listener {
	l := &listener{queue: make(chan *runtimeapi.ContainerEventResponse, eventQueue), lost: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.listeners == nil {
		e.listeners = map[*listener]struct{}{}
	}
	e.listeners[l] = struct{}{}
	return l
}

func (e *events) leave(l *listener) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.listeners, l)
}

// GetContainerEvents sends what happens to containers to ch until ctx ends, in order; as
// containerd does, a sandbox counts as a container of its own. The error is nil after ctx
// ended, Unavailable when the runtime does not answer any more, and ResourceExhausted when the
// caller was too slow and events are lost.
func (r *Runtime) GetContainerEvents(ctx context.Context, ch chan *runtimeapi.ContainerEventResponse, established func(runtimeapi.RuntimeService_GetContainerEventsClient)) error {
	if err := r.enter(); err != nil {
		return err
	}
	l := r.events.listen()
	defer r.events.leave(l)
	if established != nil {
		established(nil) // there is no gRPC client to hand out
	}
	for {
		select {
		case event := <-l.queue:
			if err := r.enter(); err != nil {
				return err
			}
			select {
			case ch <- event:
			case <-l.lost:
				return errEventsLost
			case <-ctx.Done():
				return nil
			}
		case <-l.lost:
			return errEventsLost
		case <-r.ctx.Done():
			return r.enter()
		case <-ctx.Done():
			return nil
		}
	}
}

// tell sends an event about id, a container of s or s itself.
func (r *Runtime) tell(s *sandbox, id string, what runtimeapi.ContainerEventType) {
	if !r.events.any() {
		return
	}
	r.events.send(&runtimeapi.ContainerEventResponse{
		ContainerId:        id,
		ContainerEventType: what,
		CreatedAt:          time.Now().UnixNano(),
		PodSandboxStatus:   s.status(),
		ContainersStatuses: r.containerStatuses(s),
	})
}

// containerStatuses are those of the sandbox's containers.
func (r *Runtime) containerStatuses(s *sandbox) []*runtimeapi.ContainerStatus {
	var list []*runtimeapi.ContainerStatus
	for _, c := range r.containersOf(s.id) {
		list = append(list, c.status())
	}
	return list
}
