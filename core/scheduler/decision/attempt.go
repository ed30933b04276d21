package decision

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/tabernetes/tabernetes/core/trace"
)

// attempt is a Decision that is being made. It travels in the scheduler's CycleState.
type attempt struct {
	id     trace.ID
	pod    *corev1.Pod
	number int // counted from 1
	cause  cause
	popped time.Time // when it left the queue
	waited time.Duration

	mu sync.Mutex // filters run for many nodes at once
	d  *Decision
	// deciding is true until a node is found or none: preemption asks the filters again, of
	// nodes without some of their pods, which is nobody's verdict.
	deciding bool
	rows     map[string]int // a node's place in d.Rows
	// When its parts ran; zero for those that did not.
	preFilter, filter, score span
}

// span is when something began, and how long it took.
type span struct {
	at   time.Time
	took time.Duration
}

var _ fwk.StateData = (*attempt)(nil)

// Clone implements fwk.StateData: preemption's copies of the state are of the same attempt.
func (a *attempt) Clone() fwk.StateData { return a }

const stateKey fwk.StateKey = "tabernetes.io/decision"

// attemptOf is the attempt of a cycle; nil if nobody notes it.
func attemptOf(state fwk.CycleState) *attempt {
	data, err := state.Read(stateKey)
	if err != nil {
		return nil
	}
	a, _ := data.(*attempt)
	return a
}

// row is the row of a node; nil if there are too many. mu must be held.
func (a *attempt) row(node string) *Row {
	i, has := a.rows[node]
	if !has {
		if len(a.d.Rows) >= maxRows {
			return nil
		}
		i = len(a.d.Rows)
		a.rows[node] = i
		a.d.Rows = append(a.d.Rows, Row{Node: node})
	}
	return &a.d.Rows[i]
}

// verdict notes what the filters made of a node.
func (a *attempt) verdict(node string, status *fwk.Status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.deciding {
		return
	}
	if status.IsSuccess() {
		a.d.Feasible++
	}
	if r := a.row(node); r != nil {
		r.Asked, r.Refused = true, refusal(status)
	}
}

// raw notes what a score plugin gave a node.
func (a *attempt) raw(node string, plugin int, score int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r := a.row(node); r != nil && plugin < len(a.d.Scores) {
		if r.Raw == nil {
			r.Raw = make([]int64, len(a.d.Scores))
		}
		r.Raw[plugin] = score
	}
}

// scored notes the weighted scores.
func (a *attempt) scored(scores []fwk.NodePluginScores) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.score.took = time.Since(a.score.at)
	for _, s := range scores {
		r := a.row(s.Name)
		if r == nil {
			continue
		}
		r.Total, r.Weighted = s.TotalScore, make([]int64, len(a.d.Scores))
		if r.Raw == nil {
			r.Raw = make([]int64, len(a.d.Scores))
		}
		for _, one := range s.Scores {
			if i := slices.IndexFunc(a.d.Scores, func(w Weighted) bool { return w.Name == one.Name }); i >= 0 {
				r.Weighted[i] = one.Score
			}
		}
	}
}

// fill puts in the rows of nodes that nobody was asked about.
func (a *attempt) fill(nodes []fwk.NodeInfo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range nodes {
		if n.Node() != nil {
			a.row(n.Node().Name)
		}
	}
	a.d.MoreRows = max(0, len(nodes)-len(a.d.Rows))
	slices.SortFunc(a.d.Rows, func(x, y Row) int { return byName(x.Node, y.Node) })
}

// refusal is a status as kept; zero for a success.
func refusal(s *fwk.Status) Refusal {
	if s.IsSuccess() {
		return Refusal{}
	}
	return Refusal{Plugin: s.Plugin(), Code: s.Code().String(), Message: trace.Text(s.Message())}
}
