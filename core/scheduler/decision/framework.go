package decision

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/tabernetes/tabernetes/core/trace"
)

// profile is a profile's framework that notes what its plugins say. What it does not override is
// upstream's.
type profile struct {
	framework.Framework
	watch   *watch
	filters []string
	scores  []Weighted
}

var _ framework.Framework = (*profile)(nil)

// RunPreFilterPlugins implements framework.Framework.
func (p *profile) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	a := attemptOf(state)
	began := time.Now()
	only, status, by := p.Framework.RunPreFilterPlugins(ctx, state, pod)
	if a == nil {
		return only, status, by
	}
	a.mu.Lock()
	a.d.SkippedFilters = sets.List(state.GetSkipFilterPlugins())
	if !status.IsSuccess() {
		a.d.PreFilter = refusal(status)
	} else if !only.AllNodes() {
		a.d.Only, a.d.OnlyBy = firstOf(only.NodeNames, maxRows), sets.List(by)
	}
	a.preFilter = span{began, time.Since(began)}
	a.filter.at = time.Now()
	a.mu.Unlock()
	return only, status, by
}

// GetNodeHint implements framework.Framework.
func (p *profile) GetNodeHint(ctx context.Context, pod *corev1.Pod, signature fwk.PodSignature, state fwk.CycleState, cycle int64) string {
	hint := p.Framework.GetNodeHint(ctx, pod, signature, state, cycle)
	if a := attemptOf(state); a != nil && hint != "" {
		a.mu.Lock()
		a.d.Hint = hint
		a.mu.Unlock()
	}
	return hint
}

// RunFilterPluginsWithNominatedPods implements framework.Framework. It is called for many nodes at
// once.
func (p *profile) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) *fwk.Status {
	status := p.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
	if a := attemptOf(state); a != nil {
		a.verdict(info.Node().Name, status)
	}
	return status
}

// RunPreScorePlugins implements framework.Framework.
func (p *profile) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	began := time.Now()
	status := p.Framework.RunPreScorePlugins(ctx, state, pod, nodes)
	if a := attemptOf(state); a != nil {
		a.mu.Lock()
		a.d.SkippedScores = sets.List(state.GetSkipScorePlugins())
		a.filter.took, a.score.at = began.Sub(a.filter.at), began
		a.mu.Unlock()
	}
	return status
}

// RunScorePlugins implements framework.Framework.
func (p *profile) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := p.Framework.RunScorePlugins(ctx, state, pod, nodes)
	if a := attemptOf(state); a != nil {
		a.scored(scores)
	}
	return scores, status
}

// RunPostFilterPlugins implements framework.Framework: preemption, by default.
func (p *profile) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, refused fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	a := attemptOf(state)
	began := time.Now()
	result, status := p.Framework.RunPostFilterPlugins(ctx, state, pod, refused)
	if a == nil {
		return result, status
	}
	details := pointDetails{Code: status.Code().String(), Message: trace.Text(status.Message())}
	if result != nil && result.NominatingInfo != nil {
		details.Node = result.NominatedNodeName
	}
	p.watch.preempted(a, details)
	p.watch.tell(a, postFilterKind, span{began, time.Since(began)}, details)
	return result, status
}

// RunReservePluginsReserve implements framework.Framework.
func (p *profile) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	return p.point(ctx, state, reserveKind, node, func(ctx context.Context) *fwk.Status {
		return p.Framework.RunReservePluginsReserve(ctx, state, pod, node)
	})
}

// RunReservePluginsUnreserve implements framework.Framework.
func (p *profile) RunReservePluginsUnreserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) {
	p.point(ctx, state, unreserveKind, node, func(ctx context.Context) *fwk.Status {
		p.Framework.RunReservePluginsUnreserve(ctx, state, pod, node)
		return nil
	})
}

// RunPermitPlugins implements framework.Framework.
func (p *profile) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) (waits map[string]time.Duration, status *fwk.Status) {
	p.point(ctx, state, permitKind, node, func(ctx context.Context) *fwk.Status {
		waits, status = p.Framework.RunPermitPlugins(ctx, state, pod, node)
		return status
	})
	return waits, status
}

// RunPreBindPlugins implements framework.Framework.
func (p *profile) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	return p.point(ctx, state, preBindKind, node, func(ctx context.Context) *fwk.Status {
		return p.Framework.RunPreBindPlugins(ctx, state, pod, node)
	})
}

// RunBindPlugins implements framework.Framework. The Binding that DefaultBinder posts has this step
// as its cause.
func (p *profile) RunBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	return p.point(ctx, state, bindKind, node, func(ctx context.Context) *fwk.Status {
		return p.Framework.RunBindPlugins(ctx, state, pod, node)
	})
}

// RunPostBindPlugins implements framework.Framework; it is the last that an attempt comes to.
func (p *profile) RunPostBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) {
	p.Framework.RunPostBindPlugins(ctx, state, pod, node)
	if a := attemptOf(state); a != nil {
		p.watch.ended(a, outcome{Result: Bound, Node: node})
	}
}

// point runs one extension point as a step of its own, which is the cause of what it starts.
func (p *profile) point(ctx context.Context, state fwk.CycleState, kind *trace.Kind, node string, run func(context.Context) *fwk.Status) *fwk.Status {
	a := attemptOf(state)
	if a == nil {
		return run(ctx)
	}
	id := p.watch.bus.Reserve()
	began := time.Now()
	status := run(trace.With(ctx, id))
	details := pointDetails{Node: node, Code: status.Code().String(), Message: trace.Text(status.Message())}
	if status != nil {
		details.Plugin = status.Plugin()
	}
	p.watch.tellAs(id, a, kind, span{began, time.Since(began)}, details)
	return status
}

// firstOf are at most n of names, in order.
func firstOf(names sets.Set[string], n int) []string {
	list := sets.List(names)
	return list[:min(n, len(list))]
}
