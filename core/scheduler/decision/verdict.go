package decision

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is what one plugin said of one node.
type Verdict string

// The verdicts of a filter.
const (
	Passed   Verdict = "passed"
	Refused  Verdict = "refused"
	Skipped  Verdict = "skipped"   // the plugin has nothing to do with this pod
	NotAsked Verdict = "not asked" // Cell.Why says by what
)

// Cell is what there is to say of one node and one plugin.
type Cell struct {
	Plugin  string  `json:"plugin"`
	Verdict Verdict `json:"verdict"`
	// Why is the plugin's message, or why it was not asked.
	Why string `json:"why,omitempty"`
}

// Score is a score plugin's cell. Without Scored the numbers mean nothing.
type Score struct {
	Plugin     string `json:"plugin"`
	Scored     bool   `json:"scored"`
	Raw        int64  `json:"raw"`
	Normalized int64  `json:"normalized"`
	Weighted   int64  `json:"weighted"`
	Why        string `json:"why,omitempty"`
}

// FilterCells are the filters' verdicts of a row of d, in the plugins' order. Upstream asks them in
// that order and stops at the first no (RunFilterPlugins of pkg/scheduler/framework/runtime).
func (d *Decision) FilterCells(r *Row) []Cell {
	cells := make([]Cell, len(d.Filters))
	why, refused := "", false
	if !r.Asked {
		why = d.whyNot(r.Node)
	}
	for i, plugin := range d.Filters {
		c := Cell{Plugin: plugin, Verdict: Passed}
		switch {
		case !r.Asked:
			c.Verdict, c.Why = NotAsked, why
			if plugin == d.PreFilter.Plugin {
				c.Verdict, c.Why = Refused, d.PreFilter.Message
			}
		case refused:
			c.Verdict, c.Why = NotAsked, r.Refused.Plugin+" had refused the node"
		case slices.Contains(d.SkippedFilters, plugin):
			c.Verdict, c.Why = Skipped, "its PreFilter had found nothing to do for this pod"
		case plugin == r.Refused.Plugin:
			c.Verdict, c.Why, refused = Refused, r.Refused.Message, true
		}
		cells[i] = c
	}
	return cells
}

// whyNot says why no filter was asked about a node.
func (d *Decision) whyNot(node string) string {
	switch {
	case d.PreFilter != Refusal{}:
		return fmt.Sprintf("%s had refused the pod before any node was looked at", orUnnamed(d.PreFilter.Plugin))
	case len(d.OnlyBy) > 0 && !slices.Contains(d.Only, node):
		return "the PreFilter of " + strings.Join(d.OnlyBy, ", ") + " had left other nodes only"
	case d.Nominated != "" && d.Node == d.Nominated:
		return "preemption had made room on " + d.Nominated + ", which was tried first and fits"
	case d.Hint != "" && d.Node == d.Hint:
		return "an equal pod had just been scheduled, and its next best node " + d.Hint + " fits"
	case d.Feasible > 0:
		return fmt.Sprintf("%d nodes that fit had been found, which is enough (percentageOfNodesToScore)", d.Feasible)
	}
	return "the search had ended"
}

// ScoreCells are the scores of a row of d, in the plugins' order.
func (d *Decision) ScoreCells(r *Row) []Score {
	cells := make([]Score, len(d.Scores))
	for i, plugin := range d.Scores {
		c := Score{Plugin: plugin.Name}
		switch {
		case r.Refused != Refusal{}:
			c.Why = orUnnamed(r.Refused.Plugin) + " had refused the node"
		case !r.Asked:
			c.Why = d.whyNot(r.Node)
		case slices.Contains(d.SkippedScores, plugin.Name):
			c.Why = "its PreScore had found nothing to do for this pod"
		case r.Weighted == nil && d.Feasible == 1:
			c.Why = "only one node had passed the filters"
		case r.Weighted == nil:
			c.Why = "no node was scored"
		default:
			c.Scored, c.Raw, c.Weighted = true, r.Raw[i], r.Weighted[i]
			if plugin.Weight != 0 {
				c.Normalized = c.Weighted / int64(plugin.Weight)
			}
		}
		cells[i] = c
	}
	return cells
}

func orUnnamed(plugin string) string {
	if plugin == "" {
		return "the scheduler"
	}
	return plugin
}
