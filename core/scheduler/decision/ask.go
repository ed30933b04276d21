package decision

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Answer is what a plugin says when it is asked afterwards. It is about the cluster as it is now.
type Answer struct {
	Plugin, Node string
	At           time.Time
	// Filter is nil if the plugin does not filter, Score if it does not score.
	Filter *Cell
	Score  *Score
}

// askTimeout is how long a plugin may think about it.
const askTimeout = 5 * time.Second

// Ask has the plugin of that name look at one pod and one node, as the scheduler would now, and
// changes nothing: the pod and the node are copies, and a pod that is bound already is taken out of
// its node first, as preemption does with a victim (pkg/scheduler/framework/preemption). For a score
// all nodes are candidates.
//
// It waits for the pod that is being scheduled, since plugins look at the scheduler's snapshot.
func (d *Decisions) Ask(ctx context.Context, namespace, name, node, plugin string) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answer, err := d.ask(ctx, namespace, name, node, plugin)
	if err != nil {
		return nil, fmt.Errorf("ask %q about pod %q and node %q: %w", trace.Text(plugin), trace.Text(namespace+"/"+name), trace.Text(node), err)
	}
	return answer, nil
}

func (d *Decisions) ask(ctx context.Context, namespace, name, node, plugin string) (*Answer, error) {
	pod, err := d.pod(namespace, name)
	if err != nil {
		return nil, err
	}
	f := d.inner[pod.Spec.SchedulerName]
	if f == nil {
		return nil, fmt.Errorf("the pod asks for the scheduler %q, which is not this one", trace.Text(pod.Spec.SchedulerName))
	}
	plugins, err := pluginsOf(f)
	if err != nil {
		return nil, err
	}
	p := plugins[plugin]
	if p == nil && d.extends(plugin) {
		return nil, errors.New("it is an extender, a server of its own that may note what it is asked: it is not asked again")
	}
	if p == nil {
		return nil, errors.New("the pod's profile has no such plugin")
	}
	select {
	case d.cycle <- struct{}{}:
		defer func() { <-d.cycle }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	q, err := d.question(ctx, f, pod, node)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Plugin: plugin, Node: node, At: time.Now()}
	skip, err := q.prepare(ctx, p, answer)
	if err != nil || skip {
		return answer, err
	}
	if filter, is := p.(fwk.FilterPlugin); is && answer.Filter == nil {
		answer.Filter = &Cell{Plugin: plugin, Verdict: Passed}
		if status := filter.Filter(ctx, q.state, q.pod, q.node); status.IsError() {
			return nil, status.AsError()
		} else if !status.IsSuccess() {
			answer.Filter.Verdict, answer.Filter.Why = Refused, trace.Text(status.Message())
		}
	}
	if score, is := p.(fwk.ScorePlugin); is {
		if answer.Score, err = q.score(ctx, score, d.profiles[pod.Spec.SchedulerName].weight(plugin)); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// pod is the pod as the scheduler's informer knows it.
func (d *Decisions) pod(namespace, name string) (*corev1.Pod, error) {
	for _, f := range d.inner {
		return f.SharedInformerFactory().Core().V1().Pods().Lister().Pods(namespace).Get(name)
	}
	return nil, errors.New("the scheduler has no profile")
}

// question is one pod before one node.
type question struct {
	state fwk.CycleState
	pod   *corev1.Pod // a copy without a node
	nodes []fwk.NodeInfo
	node  fwk.NodeInfo // a copy, without the pod
	// bound is the pod as it is, own the copy of its node; nil if it has none.
	bound fwk.PodInfo
	own   fwk.NodeInfo
}

// question is called with cycle held.
func (d *Decisions) question(ctx context.Context, f framework.Framework, pod *corev1.Pod, node string) (*question, error) {
	logger := klog.FromContext(ctx)
	snapshot, ok := f.SnapshotSharedLister().(*cache.Snapshot)
	if !ok {
		return nil, fmt.Errorf("the scheduler's snapshot is a %T", f.SnapshotSharedLister())
	}
	if err := d.scheduler.Cache.UpdateSnapshot(logger, snapshot); err != nil {
		return nil, err
	}
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	q := &question{state: framework.NewCycleState(), pod: pod.DeepCopy(), nodes: make([]fwk.NodeInfo, 0, len(nodes))}
	q.pod.Spec.NodeName = ""
	for _, n := range nodes {
		if n.Node().Name == node || n.Node().Name == pod.Spec.NodeName {
			n = n.Snapshot()
		}
		if n.Node().Name == node {
			q.node = n
		}
		if n.Node().Name == pod.Spec.NodeName && n.RemovePod(logger, pod) == nil {
			if q.bound, err = framework.NewPodInfo(pod.DeepCopy()); err != nil {
				return nil, err
			}
			q.own = n
		}
		q.nodes = append(q.nodes, n)
	}
	if q.node == nil {
		return nil, errors.New("the scheduler knows no such node")
	}
	return q, nil
}

// prepare runs what the plugin does before it looks at nodes. skip says that this was its answer.
func (q *question) prepare(ctx context.Context, p fwk.Plugin, answer *Answer) (skip bool, err error) {
	pre, is := p.(fwk.PreFilterPlugin)
	if !is {
		return false, nil
	}
	only, status := pre.PreFilter(ctx, q.state, q.pod, q.nodes)
	switch {
	case status.IsSkip():
		// Only its filter is left out; it may score still.
		answer.Filter = &Cell{Plugin: p.Name(), Verdict: Skipped, Why: "its PreFilter finds nothing to do for this pod"}
		_, scores := p.(fwk.ScorePlugin)
		return !scores, nil
	case status.IsRejected():
		answer.Filter = &Cell{Plugin: p.Name(), Verdict: Refused, Why: trace.Text(status.Message())}
		return true, nil
	case !status.IsSuccess():
		return true, status.AsError()
	case !only.AllNodes() && !only.NodeNames.Has(q.node.Node().Name):
		answer.Filter = &Cell{Plugin: p.Name(), Verdict: Refused, Why: "its PreFilter leaves other nodes only"}
		return true, nil
	}
	if more := pre.PreFilterExtensions(); more != nil && q.bound != nil {
		return false, more.RemovePod(ctx, q.state, q.pod, q.bound, q.own).AsError()
	}
	return false, nil
}

// score runs a score plugin over all nodes, since scores are normalised together.
func (q *question) score(ctx context.Context, p fwk.ScorePlugin, weight int32) (*Score, error) {
	if pre, is := p.(fwk.PreScorePlugin); is {
		if status := pre.PreScore(ctx, q.state, q.pod, q.nodes); status.IsSkip() {
			return &Score{Plugin: p.Name(), Why: "its PreScore finds nothing to do for this pod"}, nil
		} else if !status.IsSuccess() {
			return nil, status.AsError()
		}
	}
	scores, mine := make(fwk.NodeScoreList, len(q.nodes)), -1
	for i, n := range q.nodes {
		score, status := p.Score(ctx, q.state, q.pod, n)
		if !status.IsSuccess() {
			return nil, status.AsError()
		}
		scores[i] = fwk.NodeScore{Name: n.Node().Name, Score: score}
		if n == q.node {
			mine = i
		}
	}
	answer := &Score{Plugin: p.Name(), Scored: true, Raw: scores[mine].Score}
	if normal := p.ScoreExtensions(); normal != nil {
		if status := normal.NormalizeScore(ctx, q.state, q.pod, scores); !status.IsSuccess() {
			return nil, status.AsError()
		}
	}
	answer.Normalized = scores[mine].Score
	answer.Weighted = answer.Normalized * int64(weight)
	return answer, nil
}

// weight is that of a score plugin; 0 if it is none.
func (p *profile) weight(plugin string) int32 {
	for _, s := range p.scores {
		if s.Name == plugin {
			return s.Weight
		}
	}
	return 0
}
