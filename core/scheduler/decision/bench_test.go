package decision

import (
	"fmt"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// BenchmarkNoting is what it costs to note the verdicts and scores of one pod on three nodes, and to
// keep them: that is added to each attempt.
func BenchmarkNoting(b *testing.B) {
	filters, scores := make([]string, 14), make([]Weighted, 9)
	given := make([]fwk.PluginScore, len(scores))
	for i := range scores {
		scores[i] = Weighted{fmt.Sprint(i), 1}
		given[i] = fwk.PluginScore{Name: fmt.Sprint(i), Score: 50}
	}
	nodes := []string{"node-1", "node-2", "node-3"}
	var l Log
	for b.Loop() {
		state := framework.NewCycleState()
		state.Write(stateKey, &attempt{rows: map[string]int{}, deciding: true, d: &Decision{Name: "web", Filters: filters, Scores: scores}})
		a := attemptOf(state)
		var all []fwk.NodePluginScores
		for _, n := range nodes {
			a.verdict(n, nil)
			for p := range scores {
				attemptOf(state).raw(n, p, 50)
			}
			all = append(all, fwk.NodePluginScores{Name: n, Scores: given})
		}
		a.scored(all)
		d := *a.d
		l.keep(&d)
	}
}
