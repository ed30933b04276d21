package decision

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Result is how an attempt ended.
type Result string

// The results. Bound means that the apiserver took the Binding.
const (
	Bound         Result = "bound"
	Unschedulable Result = "unschedulable"
	Failed        Result = "failed"
)

// outcome is what there is to say of a whole attempt.
type outcome struct {
	Result  Result `json:"result"`
	Node    string `json:"node,omitempty"`
	Message string `json:"message,omitempty"`
	Attempt int    `json:"attempt"`
	// Waited is how long the pod was in the queue it was taken from, in milliseconds.
	Waited milliseconds `json:"waitedMs"`
	// Profile is the scheduler's name that the pod asks for; empty if that is the default scheduler's.
	Profile string `json:"profile,omitempty"`
}

// queueDetails say where a pod is put, and why.
type queueDetails struct {
	Queue string `json:"queue"` // "active", "backoff", "unschedulable"
	Why   string `json:"why,omitempty"`
	// Object is what changed.
	Object string `json:"object,omitempty"`
	// Profile is as that of an outcome.
	Profile string `json:"profile,omitempty"`
}

// profileOf is the name of the scheduler that is asked for a pod, if it is not the default one.
func profileOf(pod *corev1.Pod) string {
	if pod.Spec.SchedulerName == corev1.DefaultSchedulerName {
		return ""
	}
	return trace.Text(pod.Spec.SchedulerName)
}

// pointDetails are of an extension point that is run for one node, or none.
type pointDetails struct {
	Node    string `json:"node,omitempty"`
	Code    string `json:"code"`
	Plugin  string `json:"plugin,omitempty"` // that said no
	Message string `json:"message,omitempty"`
}

// The parts of a decision as details of steps. The first of them that is held weighs for all, since
// they share it.
type (
	preFilterDetails struct{ d *Decision }
	filterDetails    struct{ d *Decision }
	scoreDetails     struct{ d *Decision }
)

// Weight implements trace.Weigher.
func (p preFilterDetails) Weight() int { return p.d.size() }

// Weight implements trace.Weigher.
func (p filterDetails) Weight() int { return 0 }

// Weight implements trace.Weigher.
func (p scoreDetails) Weight() int { return 0 }

// Brief implements trace.Briefer.
func (p preFilterDetails) Brief() any { return nil }

// Brief implements trace.Briefer: how many nodes passed, of how many, by how many filters.
func (p filterDetails) Brief() any {
	return struct {
		Feasible int `json:"feasible"`
		Of       int `json:"of"`
		Filters  int `json:"filters"`
	}{p.d.Feasible, len(p.d.Rows) + p.d.MoreRows, len(p.d.Filters)}
}

// briefNodes is how many nodes are said unasked with their sums.
const briefNodes = 16

// Brief implements trace.Briefer: which node was best, and what some came to.
func (p scoreDetails) Brief() any {
	type row struct {
		Node  string `json:"node"`
		Total int64  `json:"total"`
	}
	brief := struct {
		Chosen string `json:"chosen"`
		Nodes  []row  `json:"nodes"`
	}{p.d.Node, []row{}}
	for i := range p.d.Rows {
		if r := &p.d.Rows[i]; r.Weighted != nil && len(brief.Nodes) < briefNodes {
			brief.Nodes = append(brief.Nodes, row{r.Node, r.Total})
		}
	}
	return &brief
}

// MarshalJSON implements json.Marshaler.
func (p preFilterDetails) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Refused *refusalJSON `json:"refused,omitempty"`
		Skipped []string     `json:"skipped,omitempty"`
		Only    []string     `json:"only,omitempty"`
		OnlyBy  []string     `json:"onlyBy,omitempty"`
	}{refused(p.d.PreFilter), p.d.SkippedFilters, p.d.Only, p.d.OnlyBy})
}

// MarshalJSON implements json.Marshaler.
func (p filterDetails) MarshalJSON() ([]byte, error) {
	type row struct {
		Node    string       `json:"node"`
		Passed  bool         `json:"passed"`
		Refused *refusalJSON `json:"refused,omitempty"`
		Why     string       `json:"notAsked,omitempty"`
	}
	d := p.d
	rows := make([]row, len(d.Rows))
	for i := range d.Rows {
		r := &d.Rows[i]
		rows[i] = row{Node: r.Node, Passed: r.Asked && r.Refused == Refusal{}, Refused: refused(r.Refused)}
		if !r.Asked {
			rows[i].Why = d.whyNot(r.Node)
		}
	}
	return json.Marshal(struct {
		Plugins  []string `json:"plugins"`
		Skipped  []string `json:"skipped,omitempty"`
		Feasible int      `json:"feasible"`
		Nodes    []row    `json:"nodes"`
		More     int      `json:"moreNodes,omitempty"`
	}{d.Filters, d.SkippedFilters, d.Feasible, rows, d.MoreRows})
}

// MarshalJSON implements json.Marshaler.
func (p scoreDetails) MarshalJSON() ([]byte, error) {
	type row struct {
		Node   string  `json:"node"`
		Total  int64   `json:"total"`
		Scores []Score `json:"scores"`
	}
	rows := []row{}
	for i := range p.d.Rows {
		if r := &p.d.Rows[i]; r.Weighted != nil {
			rows = append(rows, row{r.Node, r.Total, p.d.ScoreCells(r)})
		}
	}
	return json.Marshal(struct {
		Chosen string `json:"chosen"`
		Nodes  []row  `json:"nodes"`
	}{p.d.Node, rows})
}

type refusalJSON struct {
	Plugin  string `json:"plugin"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func refused(r Refusal) *refusalJSON {
	if r == (Refusal{}) {
		return nil
	}
	return &refusalJSON{r.Plugin, r.Code, r.Message}
}

// milliseconds is a duration as JSON has it: a number, with three places.
type milliseconds time.Duration

// MarshalJSON implements json.Marshaler.
func (m milliseconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(time.Duration(m).Microseconds()) / 1000)
}
