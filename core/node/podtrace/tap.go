package podtrace

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// maxPods is how many pods are known at once; the oldest is forgotten first.
const maxPods = 1024

// Tap is that of one node's kubelet.
type Tap struct {
	bus  *trace.Bus
	node string

	mu    sync.Mutex
	pods  map[string]*podState // by UID
	names map[string]*podState // by namespace and name, the last of them
	order []*podState

	repeats trace.Repeats // of probes
}

// podState is what is known of a pod. Tap.mu guards it.
type podState struct {
	namespace, name, uid string
	// last is the step that a next sync comes of: the pod was seen or changed, or a container was.
	last trace.ID
	// inferred says that last is what the kubelet noticed itself, by looking at the runtime.
	inferred bool
	// news counts what the kubelet has reason to look at the pod for; handled is that up to which a sync has
	// ended well. A sync without news is the kubelet's own round, and comes of nothing.
	news, handled int
	// sync is the pod's sync that runs, or ran last; of a pod that was refused, its admission.
	sync trace.ID
	// noticed is what a probe has come to, until a sync begins: the kubelet writes that of its own accord, and
	// has the pod synced after it (syncLoopIteration, SetContainerReadiness). By then the last sync may be a round.
	noticed trace.ID
	// isNew is set until the pod's first sync, or its refusal; admission is held until it is decided.
	isNew     bool
	admission *trace.Step
	// probes are those of the pod's containers, as its spec has them.
	probes map[string]*probeDetails
	// write is the write of the pod's status that is under way: a later sync may begin before it ends.
	write struct {
		id, cause trace.ID
		began     time.Time
	}
}

// New returns the tap of a node's kubelet; nil on a nil bus.
func New(bus *trace.Bus, node string) *Tap {
	if bus == nil {
		return nil
	}
	return &Tap{bus: bus, node: node, pods: map[string]*podState{}, names: map[string]*podState{}}
}

// know returns the state of a pod, which is new if it was not known. mu must be held.
func (t *Tap) know(namespace, name, uid string) *podState {
	if s := t.pods[uid]; s != nil {
		return s
	}
	s := &podState{namespace: namespace, name: name, uid: uid}
	if len(t.order) >= maxPods {
		old := t.order[0]
		t.order = append(t.order[:0], t.order[1:]...)
		delete(t.pods, old.uid)
		if key := old.namespace + "/" + old.name; t.names[key] == old {
			delete(t.names, key)
		}
	}
	t.order = append(t.order, s)
	t.pods[uid], t.names[namespace+"/"+name] = s, s
	return s
}

// object is the pod as a step has it.
func (s *podState) object() trace.Object {
	return trace.Object{Version: "v1", Resource: "pods", Namespace: s.namespace, Name: s.name, UID: s.uid}
}

// Cause is the sync that a call for a pod belongs to; 0 if the pod is not known.
func (t *Tap) Cause(uid string) trace.ID {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.pods[uid]; s != nil {
		return s.sync
	}
	return 0
}

// Changed tells that by that step a pod's containers are others, upon which the kubelet will look at
// the pod.
func (t *Tap) Changed(uid string, id trace.ID) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.pods[uid]; s != nil {
		s.learned(id, true)
	}
}

// learned has the pod's next sync come of that step. Tap.mu must be held.
func (s *podState) learned(id trace.ID, inferred bool) {
	s.last, s.inferred = id, inferred
	s.news++
}

// writes is what a request about the pod comes of that is none of a sync's own. Tap.mu must be held.
func (s *podState) writes() trace.ID {
	if s.noticed != 0 {
		return s.noticed
	}
	return s.sync
}

// tell adds a step of the kubelet's.
func (t *Tap) tell(s trace.Step) {
	s.Component, s.Node = "kubelet", t.node
	if s.Took == 0 && !s.At.IsZero() {
		s.Took = time.Since(s.At)
	}
	t.bus.Add(s)
}

// tellOf adds a step about a pod whose cause is the pod's sync, found by the pod.
func (t *Tap) tellOf(pod *corev1.Pod, s trace.Step) {
	t.mu.Lock()
	state := t.know(pod.Namespace, pod.Name, string(pod.UID))
	if s.Cause == 0 {
		s.Cause, s.Inferred = state.sync, state.sync != 0
	}
	s.Object = state.object()
	t.mu.Unlock()
	t.tell(s)
}

const kubelet = "k8s.io/kubernetes/pkg/kubelet"

func declare(name, pkg, fn, text string) *trace.Kind {
	return trace.Declare(trace.Kubelet, "kubelet."+name, trace.Place{Package: pkg, Func: fn, Text: text})
}
