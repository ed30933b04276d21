package decision

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/tabernetes/tabernetes/core/trace"
)

// maxMoved is how many unschedulable pods may wait for it still to be noted why each of them moves.
const maxMoved = 256

// queue is upstream's scheduling queue, with a note of why each pod is where it is. That a back-off
// has ended is upstream's own timer, and seen by the attempt that follows.
type queue struct {
	upstream.SchedulingQueue
	watch *watch
}

var _ upstream.SchedulingQueue = (*queue)(nil)

// Add implements upstream.SchedulingQueue: a pod without a node was seen for the first time.
func (q *queue) Add(ctx context.Context, pod *corev1.Pod) {
	id := q.watch.bus.Reserve()
	q.watch.waits(pod.UID, cause{step: id}) // before another goroutine takes it
	began := time.Now()
	q.SchedulingQueue.Add(ctx, pod)
	details := queueDetails{Queue: "active"}
	if len(pod.Spec.SchedulingGates) > 0 && q.unschedulable()[pod.UID] != nil {
		details.Queue, details.Why = "unschedulable", fmt.Sprintf("its scheduling gates, %s first", trace.Text(pod.Spec.SchedulingGates[0].Name))
	}
	q.watch.tellQueue(id, pod, queuedKind, began, q.watch.seen(ctx, id, pod), details)
}

// Update implements upstream.SchedulingQueue.
func (q *queue) Update(ctx context.Context, old, pod *corev1.Pod) {
	q.moving("the pod was changed", pod, func() { q.SchedulingQueue.Update(ctx, old, pod) })
}

// MoveAllToActiveOrBackoffQueue implements upstream.SchedulingQueue: something changed in the
// cluster that may make room.
func (q *queue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, old, obj any, check upstream.PreEnqueueCheck) {
	q.moving(event.Label(), either(obj, old), func() {
		q.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, old, obj, check)
	})
}

// AssignedPodAdded implements upstream.SchedulingQueue.
func (q *queue) AssignedPodAdded(logger klog.Logger, pod *corev1.Pod) {
	q.moving(framework.EventAssignedPodAdd.Label(), pod, func() { q.SchedulingQueue.AssignedPodAdded(logger, pod) })
}

// AssignedPodUpdated implements upstream.SchedulingQueue.
func (q *queue) AssignedPodUpdated(logger klog.Logger, old, pod *corev1.Pod, event fwk.ClusterEvent) {
	q.moving(event.Label(), pod, func() { q.SchedulingQueue.AssignedPodUpdated(logger, old, pod, event) })
}

// Activate implements upstream.SchedulingQueue: a plugin asks for pods.
func (q *queue) Activate(logger klog.Logger, pods map[string]*corev1.Pod) {
	q.moving("a plugin asked for the pod", nil, func() { q.SchedulingQueue.Activate(logger, pods) })
}

// AddUnschedulableIfNotPresent implements upstream.SchedulingQueue: an attempt has failed.
func (q *queue) AddUnschedulableIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo, cycle int64) error {
	pod, began := info.Pod, time.Now()
	id := q.watch.bus.Reserve()
	q.watch.waits(pod.UID, cause{step: id})
	err := q.SchedulingQueue.AddUnschedulableIfNotPresent(logger, info, cycle)
	if err == nil {
		q.watch.tellQueue(id, pod, requeuedKind, began, cause{step: trace.Marked()}, queueDetails{Queue: q.where(pod.UID)})
	}
	return err
}

// Done implements upstream.SchedulingQueue.
func (q *queue) Done(uid types.UID) {
	q.SchedulingQueue.Done(uid)
	q.watch.dropped(uid)
}

// Delete implements upstream.SchedulingQueue.
func (q *queue) Delete(pod *corev1.Pod) {
	q.SchedulingQueue.Delete(pod)
	q.watch.left(pod.UID)
}

// moving runs what may move unschedulable pods, and tells which it moved.
func (q *queue) moving(why string, object any, move func()) {
	before := q.unschedulable()
	if len(before) == 0 || len(before) > maxMoved {
		move()
		return
	}
	began := time.Now()
	ids, was := make(map[types.UID]trace.ID, len(before)), make(map[types.UID]cause, len(before))
	first := q.watch.bus.Reserve() // all of them come after it
	for uid := range before {
		ids[uid] = q.watch.bus.Reserve()
		was[uid] = q.watch.waits(uid, cause{step: ids[uid]})
	}
	move()
	after := q.unschedulable()
	var by cause
	for uid, pod := range before {
		if after[uid] != nil {
			q.watch.unless(uid, ids[uid], was[uid])
			continue
		}
		if by == (cause{}) {
			by = q.watch.seen(context.Background(), first, object)
		}
		q.watch.tellQueue(ids[uid], pod, movedKind, began, by, queueDetails{Queue: q.where(uid), Why: why, Object: objectName(object)})
	}
}

// unschedulable are the pods that wait for something to change.
func (q *queue) unschedulable() map[types.UID]*corev1.Pod { return byUID(q.UnschedulablePods()) }

// where is the queue that a pod is in; one that was taken out already was in the active one.
func (q *queue) where(uid types.UID) string {
	if q.unschedulable()[uid] != nil {
		return "unschedulable"
	}
	if byUID(q.PodsInBackoffQ())[uid] != nil {
		return "backoff"
	}
	return "active"
}

func byUID(pods []*corev1.Pod) map[types.UID]*corev1.Pod {
	if len(pods) == 0 {
		return nil
	}
	m := make(map[types.UID]*corev1.Pod, len(pods))
	for _, p := range pods {
		m[p.UID] = p
	}
	return m
}

// waits notes why a pod waits, and gives what was noted before.
func (w *watch) waits(uid types.UID, c cause) (was cause) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was = w.queued[uid]
	w.queued[uid] = c
	return was
}

// unless takes a note of waits back if it is still there.
func (w *watch) unless(uid types.UID, id trace.ID, was cause) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queued[uid].step != id {
		return
	}
	if was == (cause{}) {
		delete(w.queued, uid)
	} else {
		w.queued[uid] = was
	}
}

// left forgets a pod that waits no more.
func (w *watch) left(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.queued, uid)
}

// seen is the step by which an object came to be known here, before the step id: the one that the informer's goroutine
// works for, or the one that made its revision, or the last that wrote it.
func (w *watch) seen(ctx context.Context, id trace.ID, object any) cause {
	if id := trace.Cause(ctx); id != 0 {
		return cause{step: id}
	}
	o, ok := object.(metav1.Object)
	if !ok || reflect.ValueOf(object).IsNil() {
		return cause{}
	}
	if revision, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64); err == nil {
		if id := w.bus.Revision(revision); id != 0 {
			return cause{step: id}
		}
	}
	return cause{w.bus.LatestBefore(id, string(o.GetUID())), true}
}

func (w *watch) tellQueue(id trace.ID, pod *corev1.Pod, kind *trace.Kind, began time.Time, by cause, details queueDetails) {
	details.Profile = profileOf(pod)
	w.bus.Add(trace.Step{
		ID: id, At: began, Took: time.Since(began), Kind: kind, Component: component, Object: object(pod),
		Cause: by.step, Inferred: by.inferred && by.step != 0, Details: details,
	})
}

// either is the object that is there.
func either(obj, old any) any {
	if obj != nil {
		return obj
	}
	return old
}

func objectName(object any) string {
	o, ok := object.(metav1.Object)
	if !ok || reflect.ValueOf(object).IsNil() {
		return ""
	}
	if o.GetNamespace() == "" {
		return trace.Text(o.GetName())
	}
	return trace.Text(o.GetNamespace() + "/" + o.GetName())
}
