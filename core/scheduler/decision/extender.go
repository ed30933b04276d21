package decision

import (
	"cmp"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/tabernetes/tabernetes/core/trace"
)

// extender is one of the scheduler's extenders, whose word is noted as that of a plugin behind all others: it is asked
// of the nodes that those have left, and its score is added to theirs. What it does not override is upstream's.
type extender struct {
	fwk.Extender
	watch *watch
}

// extend puts them in the place of the scheduler's. The frameworks keep theirs, which preemption asks.
func (w *watch) extend() {
	list := make([]fwk.Extender, len(w.scheduler.Extenders))
	for i, e := range w.scheduler.Extenders {
		list[i] = &extender{Extender: e, watch: w}
	}
	w.scheduler.Extenders = list
}

// column is the extender's name in a decision: its address, without a password in it.
func (e *extender) column() string {
	name := e.Name()
	if u, err := url.Parse(name); err == nil {
		name = u.Redacted()
	}
	return trace.Text(name)
}

// extends is whether one of the extenders has that name.
func (w *watch) extends(name string) bool {
	return slices.ContainsFunc(w.scheduler.Extenders, func(e fwk.Extender) bool {
		ours, is := e.(*extender)
		return is && ours.column() == name
	})
}

// Filter implements fwk.Extender.
func (e *extender) Filter(pod *corev1.Pod, nodes []fwk.NodeInfo) (left []fwk.NodeInfo, failed, unresolvable extenderv1.FailedNodesMap, err error) {
	left, failed, unresolvable, err = e.Extender.Filter(pod, nodes)
	if a := e.watch.of(pod); a != nil && err == nil && e.IsFilter() {
		a.left(e.column(), nodes, left, failed, unresolvable)
	}
	return left, failed, unresolvable, err
}

// Prioritize implements fwk.Extender. Several are asked at once.
func (e *extender) Prioritize(pod *corev1.Pod, nodes []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	list, weight, err := e.Extender.Prioritize(pod, nodes)
	if a := e.watch.of(pod); a != nil && err == nil && list != nil && e.IsPrioritizer() {
		a.prioritized(e.column(), *list, weight)
	}
	return list, weight, err
}

// left notes which nodes an extender has left of those that it was asked of.
func (a *attempt) left(name string, asked, left []fwk.NodeInfo, failed, unresolvable extenderv1.FailedNodesMap) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.deciding {
		return
	}
	stays := make(map[string]bool, len(left))
	for _, n := range left {
		stays[n.Node().Name] = true
	}
	a.d.Filters = append(slices.Clip(a.d.Filters), name) // the profile's list is everybody's
	for _, n := range asked {
		node := n.Node().Name
		if stays[node] {
			continue
		}
		a.d.Feasible--
		r := a.row(node)
		if r == nil {
			continue
		}
		// As upstream has it (findNodesThatPassExtenders).
		r.Refused = Refusal{Plugin: name, Code: fwk.Unschedulable.String(), Message: trace.Text(cmp.Or(failed[node], "it left this node out"))}
		if message, is := unresolvable[node]; is {
			r.Refused.Code, r.Refused.Message = fwk.UnschedulableAndUnresolvable.String(), trace.Text(message)
		}
	}
}

// prioritized notes what an extender gave nodes, in the scale of plugins' scores (prioritizeNodes).
func (a *attempt) prioritized(name string, list extenderv1.HostPriorityList, weight int64) {
	const scale = fwk.MaxNodeScore / extenderv1.MaxExtenderPriority
	gave := make(map[string]int64, len(list))
	for _, one := range list {
		gave[one.Host] += one.Score
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.d.Scores = append(slices.Clip(a.d.Scores), Weighted{name, int32(weight)}) //nolint:gosec // of the configuration, a small number
	for i := range a.d.Rows {
		if r := &a.d.Rows[i]; r.Weighted != nil {
			score := gave[r.Node]
			r.Raw, r.Weighted = append(r.Raw, score), append(r.Weighted, score*weight*scale)
			r.Total += score * weight * scale
		}
	}
}
