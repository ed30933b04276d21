package cluster

import "github.com/tabernetes/tabernetes/core/trace"

var starts = trace.Declare(trace.Start, "start.step", trace.Place{
	Package: "k8s.io/kubernetes/cmd/kube-apiserver/app", Func: "Run", Text: "server, err := CreateServerChain(completed)",
})

// Started are the details of start.step.
type Started struct {
	Step   string `json:"step"`
	State  string `json:"state"`
	Detail string `json:"detail,omitempty"`
}

// started tells the bus of the steps of starting, and then the one that wants to know of them.
func started(bus *trace.Bus, tell func(Progress)) func(Progress) {
	if bus == nil {
		return tell
	}
	return func(p Progress) {
		bus.Add(trace.Step{
			At: p.At, Kind: starts, Component: "cluster",
			Details: &Started{Step: string(p.Step), State: string(p.State), Detail: trace.Text(p.Detail)},
		})
		tell(p)
	}
}
