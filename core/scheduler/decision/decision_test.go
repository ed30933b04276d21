package decision

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestUpstreamHasItsPlugins: what plugins.go reaches into is where it was.
func TestUpstreamHasItsPlugins(t *testing.T) {
	r := run(t)
	f := r.inner["default-scheduler"]
	plugins, err := pluginsOf(f)
	if err != nil || len(plugins) < 15 || plugins["NodeResourcesFit"] == nil {
		t.Errorf("%v, %v", plugins, err)
	}
	if _, err := field[int](f, "scorePlugins"); err == nil {
		t.Error("a field of another type is taken")
	}
	if _, err := field[int](f, "nosuchfield"); err == nil {
		t.Error("a field that is not there is found")
	}
}

// TestBound: three nodes, one of them tainted, one too small: the steps of a pod that is bound, and the table.
func TestBound(t *testing.T) {
	r := run(t, node("node-1", "4"), node("node-2", "1"), node("node-4", "8"), node("node-3", "4", func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "own", Effect: corev1.TaintEffectNoSchedule}}
	}))
	r.create(pod("web", "2"))
	attempt := r.wait(attemptKind, "web")
	tree := r.bus.Tree(attempt.Cause)
	for _, want := range []string{"queued", "attempt", "prefilter", "filter", "score", "reserve", "permit", "prebind", "bind"} {
		if !strings.Contains(tree.String(), "scheduler."+want+" ") {
			t.Errorf("no step %s in\n%s", want, tree)
		}
	}
	if got := details(t, attempt); !strings.Contains(got, `"result":"bound"`) || !strings.Contains(got, `"attempt":1`) {
		t.Error(got)
	}

	d := r.latest("web")
	if len(d.Rows) != 4 || d.Feasible != 2 || d.Node == "" || d.Message != "" {
		t.Fatalf("%+v", d)
	}
	verdicts := func(i int) string {
		var words []string
		for _, c := range d.FilterCells(&d.Rows[i]) {
			if c.Plugin == "TaintToleration" || c.Plugin == "NodeResourcesFit" {
				words = append(words, fmt.Sprintf("%s %s", c.Plugin, c.Verdict))
			}
		}
		return strings.Join(words, ", ")
	}
	for i, want := range []string{
		"TaintToleration passed, NodeResourcesFit passed",
		"TaintToleration passed, NodeResourcesFit refused",
		"TaintToleration refused, NodeResourcesFit not asked",
		"TaintToleration passed, NodeResourcesFit passed",
	} {
		if got := verdicts(i); got != want {
			t.Errorf("%s: %s, not %s", d.Rows[i].Node, got, want)
		}
	}
	if why := d.Rows[1].Refused.Message; why != "Insufficient cpu" {
		t.Error(why)
	}
	total := int64(0)
	for _, s := range d.ScoreCells(&d.Rows[0]) {
		total += s.Weighted
		switch s.Plugin {
		case "TaintToleration":
			// 0 intolerable taints, which normalise to 100, times 3.
			if !s.Scored || s.Raw != 0 || s.Normalized != 100 || s.Weighted != 300 {
				t.Errorf("%+v", s)
			}
		case "NodeResourcesFit":
			if !s.Scored || s.Raw == 0 || s.Weighted != s.Normalized {
				t.Errorf("%+v", s)
			}
		}
	}
	if total != d.Rows[0].Total || total == 0 {
		t.Errorf("%d, not %d", total, d.Rows[0].Total)
	}
	for _, s := range d.ScoreCells(&d.Rows[1]) {
		if s.Scored || s.Why != "NodeResourcesFit had refused the node" {
			t.Errorf("%+v", s)
		}
	}
}

// TestUnschedulable: which plugin refused which node, where the pod goes, and what brings it back.
func TestUnschedulable(t *testing.T) {
	r := run(t, node("node-1", "4"), node("node-2", "4", func(n *corev1.Node) { n.Spec.Unschedulable = true }))
	r.create(pod("huge", "100"))
	requeued := r.wait(requeuedKind, "huge")
	if got := details(t, requeued); got != `{"queue":"unschedulable"}` {
		t.Error(got)
	}
	attempt := r.wait(attemptKind, "huge")
	if got := details(t, attempt); !strings.Contains(got, `"result":"unschedulable"`) || !strings.Contains(got, "0/2 nodes are available") {
		t.Error(got)
	}
	if requeued.Cause != attempt.ID {
		t.Errorf("requeued by %d, not by %d", requeued.Cause, attempt.ID)
	}
	tree := r.bus.Tree(attempt.ID)
	for _, want := range []string{"filter", "postfilter", "requeued"} {
		if !strings.Contains(tree.String(), "scheduler."+want+" ") {
			t.Errorf("no step %s in\n%s", want, tree)
		}
	}
	d := r.latest("huge")
	if got := fmt.Sprint(d.Rows[0].Refused.Plugin, " ", d.Rows[1].Refused.Plugin); got != "NodeResourcesFit NodeUnschedulable" {
		t.Error(got)
	}
	if !strings.Contains(d.Preemption, "Preemption is not helpful for scheduling") {
		t.Errorf("preemption: %q", d.Preemption)
	}

	if _, err := r.client.CoreV1().Nodes().Create(t.Context(), node("node-3", "200"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	moved := r.wait(movedKind, "huge")
	if got := details(t, moved); !strings.Contains(got, `"why":"NodeAdd","object":"node-3"`) {
		t.Error(got)
	}
	again := r.wait(attemptKind, "huge")
	if again.Cause != moved.ID || !strings.Contains(details(t, again), `"result":"bound","node":"node-3"`) {
		t.Errorf("%s", again.JSON(true))
	}
	for _, s := range r.latest("huge").ScoreCells(&r.latest("huge").Rows[2]) {
		if s.Scored || s.Why != "only one node had passed the filters" {
			t.Errorf("%+v", s)
		}
	}
}

// TestGated: a pod with scheduling gates is not tried.
func TestGated(t *testing.T) {
	r := run(t, node("node-1", "4"))
	r.create(pod("gated", "1", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}} }))
	if got := details(t, r.wait(queuedKind, "gated")); !strings.Contains(got, `"queue":"unschedulable","why":"its scheduling gates, example.com/wait first"`) {
		t.Error(got)
	}
}

// TestNotAsked: a pod that names its node by affinity leaves the others unasked, by name.
func TestNotAsked(t *testing.T) {
	r := run(t, node("node-1", "4"), node("node-2", "4"))
	r.create(pod("pinned", "1", func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"node-2"}}}}},
		}}}
	}))
	r.wait(attemptKind, "pinned")
	d := r.latest("pinned")
	for _, c := range d.FilterCells(&d.Rows[0]) {
		if c.Verdict != NotAsked || c.Why != "the PreFilter of NodeAffinity had left other nodes only" {
			t.Errorf("%+v", c)
		}
	}
}

// TestEnough: more nodes than percentageOfNodesToScore asks for are not looked at.
func TestEnough(t *testing.T) {
	var nodes []*corev1.Node
	for i := range 300 {
		nodes = append(nodes, node(fmt.Sprintf("node-%03d", i), "4"))
	}
	r := run(t, nodes...)
	r.create(pod("one", "1"))
	r.wait(attemptKind, "one")
	d := r.latest("one")
	if len(d.Rows) != maxRows || d.MoreRows != 300-maxRows {
		t.Errorf("%d rows and %d more", len(d.Rows), d.MoreRows)
	}
	unasked := 0
	for i := range d.Rows {
		if r := &d.Rows[i]; !r.Asked {
			unasked++
			if why := d.FilterCells(r)[0].Why; !strings.Contains(why, "percentageOfNodesToScore") {
				t.Fatal(why)
			}
		}
	}
	if unasked == 0 || unasked < maxRows-d.Feasible {
		t.Errorf("%d of %d rows were not asked, %d are feasible", unasked, len(d.Rows), d.Feasible)
	}
}

// TestAsk: a cell that was not asked is asked of the same plugin, and nothing changes by it.
func TestAsk(t *testing.T) {
	r := run(t, node("node-1", "4"), node("node-2", "1", func(n *corev1.Node) { n.Spec.Unschedulable = true }))
	r.create(pod("web", "2"))
	r.wait(attemptKind, "web")
	before := kinds(all(r.bus))
	for _, c := range []struct {
		node, plugin string
		verdict      Verdict
		why          string
	}{
		{"node-2", "NodeResourcesFit", Refused, "Insufficient cpu"}, // NodeUnschedulable came first
		{"node-2", "NodeUnschedulable", Refused, "node(s) were unschedulable"},
		{"node-1", "NodeResourcesFit", Passed, ""},
		{"node-1", "NodePorts", Skipped, "its PreFilter finds nothing to do for this pod"},
	} {
		a, err := r.Ask(t.Context(), "default", "web", c.node, c.plugin)
		if err != nil {
			t.Error(err)
			continue
		}
		if a.Filter == nil || a.Filter.Verdict != c.verdict || a.Filter.Why != c.why || a.At.IsZero() {
			t.Errorf("%s of %s: %+v", c.plugin, c.node, a.Filter)
		}
	}
	a, err := r.Ask(t.Context(), "default", "web", "node-1", "NodeResourcesBalancedAllocation")
	if err != nil || a.Score == nil || !a.Score.Scored || a.Score.Weighted == 0 || a.Filter != nil {
		t.Errorf("%+v, %v", a, err)
	}
	for _, c := range [][3]string{
		{"nobody", "node-1", "NodePorts"}, {"web", "node-9", "NodePorts"}, {"web", "node-1", "Astrology"}, {"web", "node-1", ""},
	} {
		if _, err := r.Ask(t.Context(), "default", c[0], c[1], c[2]); err == nil {
			t.Errorf("%v is answered", c)
		}
	}
	if after := kinds(all(r.bus)); after != before {
		t.Errorf("asking made steps:\n%s", after)
	}
}

// TestAskWaits: a question waits for the pod that is being scheduled, and gives up with its context.
func TestAskWaits(t *testing.T) {
	r := run(t, node("node-1", "4"))
	r.create(pod("web", "1"))
	r.wait(attemptKind, "web")
	select {
	case r.cycle <- struct{}{}: // as the scheduling goroutine does
	case <-t.Context().Done():
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Ask(ctx, "default", "web", "node-1", "NodePorts"); err == nil {
		t.Error("answered in the middle of a cycle")
	}
	<-r.cycle
}

func all(b *trace.Bus) []trace.Step {
	steps, _ := b.All()
	return steps
}

// TestNamesAreData: what strangers wrote is quoted by JSON and cut.
func TestNamesAreData(t *testing.T) {
	long := strings.Repeat("<img src=x onerror=alert(1)>", 3000)
	d := &Decision{Filters: []string{"A"}, Rows: []Row{{Node: "<b>", Asked: true, Refused: Refusal{"A", "Unschedulable", trace.Text(long)}}}}
	b, err := json.Marshal(filterDetails{d})
	if err != nil || len(b) > 8*trace.MaxText || strings.Contains(string(b), "<") {
		t.Errorf("%d bytes, %v: %.200s", len(b), err, b)
	}
}

// TestLogIsBounded: many pods' decisions take no more than what they may.
func TestLogIsBounded(t *testing.T) {
	var l Log
	rows := make([]Row, 200)
	for i := range rows {
		rows[i] = Row{Node: "node", Raw: make([]int64, 9), Weighted: make([]int64, 9)}
	}
	for i := range 1000 {
		l.keep(&Decision{Namespace: "default", Name: fmt.Sprint(i), Rows: rows})
		l.keep(&Decision{Namespace: "default", Name: fmt.Sprint(i), Rows: rows})
	}
	if l.bytes > maxLog || l.Latest("default", "999") == nil || l.Latest("default", "0") != nil {
		t.Errorf("%d bytes, %d decisions", l.bytes, l.order.Len())
	}
	if len(l.byPod) != l.order.Len() {
		t.Errorf("%d names of %d decisions", len(l.byPod), l.order.Len())
	}
}

// TestAskOfAPendingPod: of a pod that fits nowhere there is a decision, and a cell that was not asked is
// asked afterwards, as often as one likes, without the pod being tried.
func TestAskOfAPendingPod(t *testing.T) {
	r := run(t, node("node-1", "4"), node("node-2", "4", func(n *corev1.Node) { n.Spec.Unschedulable = true }))
	r.create(pod("huge", "100"))
	r.wait(requeuedKind, "huge")
	d := r.latest("huge")
	if d.Node != "" || d.Feasible != 0 || !strings.Contains(d.Message, "0/2 nodes are available") || len(d.Rows) != 2 {
		t.Fatalf("%+v", d)
	}
	asked := d.FilterCells(&d.Rows[1])
	i := slices.IndexFunc(asked, func(c Cell) bool { return c.Plugin == "NodeResourcesFit" })
	if i < 0 || asked[i].Verdict != NotAsked {
		t.Fatalf("%+v", asked)
	}
	for range 2 {
		a, err := r.Ask(t.Context(), "default", "huge", "node-2", "NodeResourcesFit")
		if err != nil || a.Filter.Verdict != Refused || a.Filter.Why != "Insufficient cpu" {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if now := r.latest("huge"); now != d {
		t.Errorf("asking has the pod tried: %+v", now)
	}
}

// TestPreemption: the attempt says on which node preemption made room, the victim goes, and the next
// decision has that node.
func TestPreemption(t *testing.T) {
	r := run(t, node("node-1", "2"), node("node-2", "1"))
	priority := func(value int32, node string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Priority, p.Spec.NodeName = &value, node }
	}
	r.create(pod("low", "2", priority(0, "node-1")))
	r.create(pod("high", "2", priority(1000, "")))
	first := r.wait(attemptKind, "high")
	if got := details(t, first); !strings.Contains(got, `"result":"unschedulable"`) {
		t.Fatal(got)
	}
	made := ""
	r.bus.Tree(first.ID).Walk(func(n *trace.Tree, _ int) {
		if n.Kind.Name == "scheduler.postfilter" {
			made = details(t, n.Step)
		}
	})
	if !strings.Contains(made, `"node":"node-1"`) {
		t.Errorf("what preemption came to: %s", made)
	}
	second := r.wait(attemptKind, "high")
	if got := details(t, second); !strings.Contains(got, `"result":"bound","node":"node-1"`) {
		t.Errorf("after the victim has gone: %s", got)
	}
	if d := r.latest("high"); d.Attempt != 2 || d.Node != "node-1" {
		t.Errorf("%+v", d)
	}
	if _, err := r.client.CoreV1().Pods("default").Get(t.Context(), "low", metav1.GetOptions{}); err == nil {
		t.Error("the victim is there still")
	}
	// Of the node that it has taken it is asked as if it were not there.
	a, err := r.Ask(t.Context(), "default", "high", "node-2", "NodeResourcesFit")
	if err != nil || a.Filter.Verdict != Refused {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestProfileIsTold: whose a step is says its pod's scheduler, unless that is the default one.
func TestProfileIsTold(t *testing.T) {
	w := &watch{bus: trace.New()}
	other := pod("other", "1", func(p *corev1.Pod) { p.Spec.SchedulerName = "my-scheduler" })
	for _, p := range []*corev1.Pod{other, pod("web", "1")} {
		w.tellQueue(0, p, queuedKind, time.Now(), cause{}, queueDetails{Queue: "active"})
		w.ended(&attempt{pod: p, popped: time.Now()}, outcome{Result: Bound, Node: "node-1"})
	}
	steps, _ := w.bus.All()
	for _, s := range steps {
		if got, want := strings.Contains(details(t, s), `"profile":"my-scheduler"`), s.Object.Name == "other"; got != want || s.Component != "kube-scheduler" {
			t.Errorf("%s", s.JSON(true))
		}
	}
	if len(steps) != 4 {
		t.Errorf("%d steps", len(steps))
	}
}
