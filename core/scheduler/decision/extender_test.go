package decision

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// picky is an extender that refuses nodes by name, and scores.
type picky struct {
	fwk.Extender
	name                 string
	failed, unresolvable extenderv1.FailedNodesMap
	leaves               map[string]bool // out, without a word
	scores               map[string]int64
}

func (p *picky) Name() string                { return p.name }
func (*picky) IsInterested(*corev1.Pod) bool { return true }
func (p *picky) IsPrioritizer() bool         { return p.scores != nil }
func (*picky) IsFilter() bool                { return true }
func (*picky) IsBinder() bool                { return false }
func (*picky) IsIgnorable() bool             { return false }
func (*picky) SupportsPreemption() bool      { return false }
func (p *picky) refuses(node string) (is bool) {
	_, failed := p.failed[node]
	_, unresolvable := p.unresolvable[node]
	return failed || unresolvable || p.leaves[node]
}

func (p *picky) Filter(_ *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, extenderv1.FailedNodesMap, extenderv1.FailedNodesMap, error) {
	left := slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool { return p.refuses(n.Node().Name) })
	return left, p.failed, p.unresolvable, nil
}

func (p *picky) Prioritize(_ *corev1.Pod, nodes []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	list := extenderv1.HostPriorityList{}
	for _, n := range nodes {
		list = append(list, extenderv1.HostPriority{Host: n.Node().Name, Score: p.scores[n.Node().Name]})
	}
	return &list, 2, nil
}

// TestExtendersAreTold: what an extender refused and gave stands in the table as a plugin's, behind all plugins.
func TestExtendersAreTold(t *testing.T) {
	first := &picky{
		name: "http://who:CANARY@extender.example/", failed: extenderv1.FailedNodesMap{"node-1": "too warm"},
		unresolvable: extenderv1.FailedNodesMap{"node-2": "gone"}, leaves: map[string]bool{"node-3": true},
	}
	second := &picky{name: "http://second.example", scores: map[string]int64{"node-5": 7}}
	r := runExtended(t, []fwk.Extender{first, second}, node("node-1", "4"), node("node-2", "4"), node("node-3", "4"), node("node-4", "4"), node("node-5", "4"), node("node-6", "1"))
	r.create(pod("web", "2"))
	r.wait(attemptKind, "web")
	d := r.latest("web")
	const one, two = "http://who:xxxxx@extender.example/", "http://second.example"
	if d.Node != "node-5" || d.Feasible != 2 {
		t.Errorf("%d nodes are left, and %q is taken", d.Feasible, d.Node)
	}
	if n := len(d.Filters); n < 3 || d.Filters[n-2] != one || d.Filters[n-1] != two {
		t.Errorf("the filters are %q", d.Filters)
	}
	for i, want := range []string{
		"refused: too warm; not asked: " + one + " had refused the node",
		"refused: gone; not asked: " + one + " had refused the node",
		"refused: it left this node out; not asked: " + one + " had refused the node",
		"passed; passed",
		"passed; passed",
		"not asked: NodeResourcesFit had refused the node; not asked: NodeResourcesFit had refused the node",
	} {
		var words []string
		cells := d.FilterCells(&d.Rows[i])
		for _, c := range cells[len(cells)-2:] {
			words = append(words, strings.TrimSuffix(string(c.Verdict)+": "+c.Why, ": "))
		}
		if got := strings.Join(words, "; "); got != want {
			t.Errorf("%s: %s, not %s", d.Rows[i].Node, got, want)
		}
	}
	for i, raw := range map[int]int64{3: 0, 4: 7} {
		row := &d.Rows[i]
		scores, total := d.ScoreCells(row), int64(0)
		for _, s := range scores {
			total += s.Weighted
		}
		last := scores[len(scores)-1]
		if last != (Score{Plugin: two, Scored: true, Raw: raw, Normalized: 10 * raw, Weighted: 20 * raw}) || total != row.Total {
			t.Errorf("%s has %+v, and %d of %d", row.Node, last, total, row.Total)
		}
	}
	for _, s := range all(r.bus) {
		if text := string(s.JSON(true)); strings.Contains(text, "CANARY") {
			t.Error(text)
		}
	}
	if _, err := r.Ask(t.Context(), "default", "web", "node-4", one); err == nil || !strings.Contains(err.Error(), "is not asked again") {
		t.Errorf("it is asked afterwards: %v", err)
	}
}
