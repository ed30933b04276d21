package decision

import "encoding/json"

// wire is a Decision as the page has it: SchedulingDecision of web/rpc/protocol.ts.
type wire struct {
	Namespace  string      `json:"namespace"`
	Name       string      `json:"name"`
	UID        string      `json:"uid"`
	Profile    string      `json:"profile"`
	Attempt    int         `json:"attempt"`
	Began      float64     `json:"began"`
	Took       float64     `json:"took"`
	Filters    []string    `json:"filters"`
	Scores     []wireScore `json:"scores"`
	Rows       []wireRow   `json:"rows"`
	MoreRows   int         `json:"moreRows"`
	Feasible   int         `json:"feasible"`
	Node       string      `json:"node"`
	Hint       string      `json:"hint"`
	Nominated  string      `json:"nominated"`
	Message    string      `json:"message"`
	Preemption string      `json:"preemption"`
}

// wireScore is SchedulingWeight of web/rpc/protocol.ts.
type wireScore struct {
	Name   string `json:"name"`
	Weight int32  `json:"weight"`
}

// wireRow is SchedulingRow of web/rpc/protocol.ts.
type wireRow struct {
	Node    string  `json:"node"`
	Passed  bool    `json:"passed"`
	Filters []Cell  `json:"filters"`
	Scores  []Score `json:"scores"`
	Total   int64   `json:"total"`
}

// MarshalJSON implements json.Marshaler: nodes × plugins, each cell with what was said, or why nothing
// was.
func (d *Decision) MarshalJSON() ([]byte, error) {
	w := wire{
		Namespace: d.Namespace, Name: d.Name, UID: string(d.UID), Profile: d.Profile, Attempt: d.Attempt,
		Began: float64(d.Began.UnixMicro()) / 1000, Took: float64(d.Took.Microseconds()) / 1000,
		Filters: append([]string{}, d.Filters...), Scores: make([]wireScore, len(d.Scores)), Rows: make([]wireRow, len(d.Rows)),
		MoreRows: d.MoreRows, Feasible: d.Feasible, Node: d.Node, Hint: d.Hint, Nominated: d.Nominated,
		Message: d.Message, Preemption: d.Preemption,
	}
	for i, s := range d.Scores {
		w.Scores[i] = wireScore(s)
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		w.Rows[i] = wireRow{r.Node, r.Asked && r.Refused == Refusal{}, d.FilterCells(r), d.ScoreCells(r), r.Total}
	}
	return json.Marshal(w)
}

// wireAnswer is an Answer as the page has it: PluginAnswer of web/rpc/protocol.ts.
type wireAnswer struct {
	Plugin string  `json:"plugin"`
	Node   string  `json:"node"`
	At     float64 `json:"at"`
	Filter *Cell   `json:"filter,omitempty"`
	Score  *Score  `json:"score,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (a *Answer) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireAnswer{a.Plugin, a.Node, float64(a.At.UnixMicro()) / 1000, a.Filter, a.Score})
}
