package decision

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Watch has a scheduler that does not run yet note what it decides, and tell bus.
func Watch(s *scheduler.Scheduler, bus *trace.Bus) (*Decisions, error) {
	w := &watch{
		scheduler: s, bus: bus, inner: map[string]framework.Framework{}, profiles: map[string]*profile{},
		attempts: map[types.UID]*attempt{}, queued: map[types.UID]cause{}, cycle: make(chan struct{}, 1),
	}
	var errs []error
	for name, f := range s.Profiles {
		p := &profile{Framework: f, watch: w}
		enabled := f.ListPlugins()
		for _, plugin := range enabled.Filter.Enabled {
			p.filters = append(p.filters, plugin.Name)
		}
		for _, plugin := range enabled.Score.Enabled {
			p.scores = append(p.scores, Weighted{plugin.Name, plugin.Weight})
		}
		errs = append(errs, noteScores(f))
		w.inner[name], w.profiles[name], s.Profiles[name] = f, p, p
	}
	w.wrap()
	w.extend()
	return &Decisions{watch: w}, errors.Join(errs...)
}

// watch stands in the scheduler's exported fields.
type watch struct {
	scheduler *scheduler.Scheduler
	bus       *trace.Bus
	inner     map[string]framework.Framework // upstream's, by profile
	profiles  map[string]*profile
	log       Log
	// cycle is full while a pod is being scheduled: the nodes' snapshot that plugins look at is
	// the scheduling goroutine's, without a lock.
	cycle chan struct{}

	mu sync.Mutex
	// attempts are those under way, queued is why each waiting pod is where it is.
	attempts map[types.UID]*attempt
	queued   map[types.UID]cause
}

// cause is a step and whether it was found by the object.
type cause struct {
	step     trace.ID
	inferred bool
}

// wrap is called before the scheduler runs.
func (w *watch) wrap() {
	s := w.scheduler
	next, schedule, failed := s.NextPod, s.SchedulePod, s.FailureHandler
	s.SchedulingQueue = &queue{SchedulingQueue: s.SchedulingQueue, watch: w}
	w.cycle <- struct{}{}
	s.NextPod = func(logger klog.Logger) (*framework.QueuedPodInfo, error) {
		<-w.cycle
		pod, err := next(logger)
		w.cycle <- struct{}{}
		if pod != nil && pod.Pod != nil {
			w.popped(pod)
		}
		return pod, err
	}
	s.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		a := w.begin(f, state, pod)
		result, err := schedule(ctx, f, state, pod)
		w.decided(f, a, result, err)
		return result, err
	}
	s.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		a := w.of(pod.Pod)
		if a == nil {
			failed(ctx, f, pod, status, nominating, start)
			return
		}
		// The condition that it writes, and where the pod goes next, come of this attempt.
		done := trace.Mark(a.id)
		failed(trace.With(ctx, a.id), f, pod, status, nominating, start)
		done()
		o := outcome{Result: Failed, Message: trace.Text(status.Message())}
		if status.IsRejected() {
			o.Result = Unschedulable
		}
		w.ended(a, o)
	}
}

// popped notes that a pod's attempt begins.
func (w *watch) popped(pod *framework.QueuedPodInfo) {
	a := &attempt{
		id: w.bus.Reserve(), pod: pod.Pod, popped: time.Now(), waited: time.Since(pod.Timestamp), number: pod.Attempts,
		rows: map[string]int{},
	}
	a.d = &Decision{Namespace: pod.Pod.Namespace, Name: pod.Pod.Name, UID: pod.Pod.UID, Profile: pod.Pod.Spec.SchedulerName, Attempt: pod.Attempts}
	w.mu.Lock()
	defer w.mu.Unlock()
	a.cause = w.queued[pod.Pod.UID]
	delete(w.queued, pod.Pod.UID)
	w.attempts[pod.Pod.UID] = a
}

func (w *watch) of(pod *corev1.Pod) *attempt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.attempts[pod.UID]
}

// begin puts the attempt into the cycle's state.
func (w *watch) begin(f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) *attempt {
	a := w.of(pod.Pod)
	p, ours := f.(*profile)
	if a == nil || !ours {
		return nil
	}
	a.mu.Lock()
	a.d.Began, a.d.Filters, a.d.Scores, a.deciding = time.Now(), p.filters, p.scores, true
	a.d.Nominated = pod.Pod.Status.NominatedNodeName
	a.mu.Unlock()
	state.Write(stateKey, a)
	return a
}

// decided notes what came of the search for a node.
func (w *watch) decided(f framework.Framework, a *attempt, result scheduler.ScheduleResult, err error) {
	if a == nil {
		return
	}
	if nodes, err := f.SnapshotSharedLister().NodeInfos().List(); err == nil {
		a.fill(nodes)
	}
	a.mu.Lock()
	a.deciding = false
	a.d.Took, a.d.Node = time.Since(a.d.Began), result.SuggestedHost
	if err != nil {
		a.d.Message = trace.Text(err.Error())
	}
	if a.filter.took == 0 && !a.filter.at.IsZero() {
		a.filter.took = time.Since(a.filter.at)
	}
	d := *a.d // nothing changes its rows from now on
	a.mu.Unlock()
	w.log.keep(&d)
	w.tell(a, preFilterKind, a.preFilter, preFilterDetails{&d})
	if d.asked() > 0 {
		w.tell(a, filterKind, a.filter, filterDetails{&d})
	}
	if a.score.took > 0 {
		w.tell(a, scoreKind, a.score, scoreDetails{&d})
	}
}

// preempted notes what preemption said, in the decision that the log has by now.
func (w *watch) preempted(a *attempt, p pointDetails) {
	text := p.Message
	if p.Node != "" {
		text = "room is made on " + p.Node
	}
	a.mu.Lock()
	a.d.Preemption = cmp.Or(text, p.Code)
	d := *a.d
	a.mu.Unlock()
	w.log.keep(&d)
}

// ended tells of the whole attempt.
func (w *watch) ended(a *attempt, o outcome) {
	w.mu.Lock()
	if w.attempts[a.pod.UID] == a {
		delete(w.attempts, a.pod.UID)
	}
	w.mu.Unlock()
	o.Attempt, o.Waited, o.Profile = a.number, milliseconds(a.waited), profileOf(a.pod)
	w.bus.Add(trace.Step{
		ID: a.id, At: a.popped, Took: time.Since(a.popped), Kind: attemptKind, Component: component,
		Object: object(a.pod), Cause: a.cause.step, Inferred: a.cause.inferred, Details: o,
	})
}

// dropped forgets an attempt that came to nothing: the pod was deleted, or is assumed already.
func (w *watch) dropped(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.attempts[uid]; a != nil && a.d.Began.IsZero() {
		delete(w.attempts, uid)
	}
}

// tell tells of a part of an attempt.
func (w *watch) tell(a *attempt, kind *trace.Kind, when span, details any) {
	w.tellAs(0, a, kind, when, details)
}

func (w *watch) tellAs(id trace.ID, a *attempt, kind *trace.Kind, when span, details any) {
	w.bus.Add(trace.Step{
		ID: id, At: when.at, Took: when.took, Kind: kind, Component: component,
		Object: object(a.pod), Cause: a.id, Details: details,
	})
}

const component = "kube-scheduler"

func object(pod *corev1.Pod) trace.Object {
	return trace.Object{
		Version: "v1", Resource: "pods", Namespace: pod.Namespace, Name: pod.Name,
		UID: string(pod.UID), ResourceVersion: pod.ResourceVersion,
	}
}

// Decisions answers what the scheduler decided of a pod.
type Decisions struct{ *watch }

// Latest is the last decision about a pod; nil if none is kept.
func (d *Decisions) Latest(namespace, name string) *Decision { return d.log.Latest(namespace, name) }

func byName(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
