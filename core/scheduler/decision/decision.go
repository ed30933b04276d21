package decision

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Decision is one attempt of the scheduler at one pod: which plugin said what of which node. It does
// not change any more once it is in a Log.
type Decision struct {
	Namespace string
	Name      string
	UID       types.UID
	Profile   string // the scheduler's name, as in spec.schedulerName
	Attempt   int    // counted from 1
	Began     time.Time
	Took      time.Duration // until a node was found, or none

	// Filters and Scores are the profile's plugins in the order in which they are asked, and behind them the extenders
	// that were asked.
	Filters []string
	Scores  []Weighted
	// SkippedFilters and SkippedScores had nothing to do with this pod, as their PreFilter or
	// PreScore said, and were asked about no node.
	SkippedFilters, SkippedScores []string

	// PreFilter is what ended the attempt before any node was looked at; zero if nothing did.
	PreFilter Refusal
	// Only are the nodes that a PreFilter left, and OnlyBy the plugins whose that was.
	Only   []string
	OnlyBy []string
	// Hint is the node that was tried first since an equal pod had just been scheduled, and
	// Nominated the one that preemption had made room on; empty for none.
	Hint, Nominated string

	Rows []Row
	// MoreRows is how many further nodes there were.
	MoreRows int
	// Feasible is how many nodes passed all filters.
	Feasible int

	// Node is the one that was chosen; empty if none was.
	Node string
	// Message is why none was, in the scheduler's words.
	Message string
	// Preemption is what was tried where no node passed; empty if that was not.
	Preemption string
}

// Weighted is a score plugin and what its score is multiplied by.
type Weighted struct {
	Name   string
	Weight int32
}

// Refusal is a plugin's no.
type Refusal struct {
	Plugin, Code, Message string
}

// Row is what was said of one node.
type Row struct {
	Node string
	// Asked says that the filters were run for the node, until one refused.
	Asked bool
	// Refused is the refusal; zero if all passed.
	Refused Refusal
	// Raw and Weighted are the scores, one for each of Decision.Scores; nil if the node was not
	// scored. Weighted is the normalised score times the plugin's weight.
	Raw, Weighted []int64
	// Total is the sum of Weighted, and of extenders' scores.
	Total int64
}

// maxRows bounds one decision.
const maxRows = 250

// asked is how many nodes the filters were run for.
func (d *Decision) asked() (n int) {
	for i := range d.Rows {
		if d.Rows[i].Asked {
			n++
		}
	}
	return n
}

// size is about what a decision holds, in bytes.
func (d *Decision) size() int {
	n := 512 + len(d.Message) + len(d.Preemption) + 32*(len(d.Filters)+len(d.Scores)+len(d.Only))
	for i := range d.Rows {
		r := &d.Rows[i]
		n += 160 + len(r.Node) + len(r.Refused.Message) + 8*(len(r.Raw)+len(r.Weighted))
	}
	return n
}
