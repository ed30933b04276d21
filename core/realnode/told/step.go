package told

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/node/cnitrace"
	"github.com/tabernetes/tabernetes/core/node/critrace"
	"github.com/tabernetes/tabernetes/core/trace"
)

// What is told of a node besides its calls.
var (
	waysKind    = trace.Declare(trace.Networking, "network.ways", trace.Place{})
	missedKind  = trace.Declare(trace.Kubelet, "node.missed", trace.Place{})
	refusedKind = trace.Declare(trace.Kubelet, "node.refused", trace.Place{})
	cutOffKind  = trace.Declare(trace.Kubelet, "node.cutOff", trace.Place{})
)

// Missed are the details of node.missed: a node that could not tell everything.
type Missed struct {
	Steps int64 `json:"steps"`
}

// Refused are the details of node.refused and node.cutOff: why, for people.
type Refused struct {
	Why string `json:"why"`
}

// texts bounds what a node tells of its ways.
func (n *Net) texts() *Net {
	out := *n
	bound := func(all ...*string) {
		for _, s := range all {
			*s = strings.ToValidUTF8(trace.Text(*s), "\uFFFD")
		}
	}
	bound(&out.Pods, &out.IP, &out.Subnet, &out.Mode, &out.NAT)
	out.Ways = append([]Way(nil), n.Ways[:min(len(n.Ways), MaxWays)]...)
	for i := range out.Ways {
		w := &out.Ways[i]
		bound(&w.Node, &w.Pods, &w.By, &w.Via, &w.Why)
	}
	return &out
}

// Weight implements trace.Weigher.
func (n *Net) Weight() int {
	weight := 192 + len(n.Pods) + len(n.IP) + len(n.Subnet) + len(n.Mode) + len(n.NAT)
	for _, w := range n.Ways {
		weight += 112 + len(w.Node) + len(w.Pods) + len(w.By) + len(w.Via) + len(w.Why)
	}
	return weight
}

// Brief implements trace.Briefer: to how many nodes, by which ways.
func (n *Net) Brief() any {
	by := map[string]int{}
	for _, w := range n.Ways {
		switch w.By {
		case "route", "vxlan":
			by[w.By]++
		default:
			by["none"]++
		}
	}
	return struct {
		Pods string         `json:"pods"`
		By   map[string]int `json:"by"`
	}{n.Pods, by}
}

var (
	errNothing = errors.New("it says nothing of what it is")
	errNoPod   = errors.New("it tells of what is done for a pod only, and of no pod")
)

// step puts what is told onto the bus. It fails with errOthers or errUnknown if the pod is not the
// node's, and otherwise if the line is not as it should be.
func (f *follower) step(ctx context.Context, s *Step) error {
	out := trace.Step{Component: "kubelet", Node: f.Node, Told: true}
	out.At, out.Took = f.clock.when(time.Now(), s.At, s.Took)
	switch {
	case s.Net != nil && s.CRI == nil && s.CNI == nil && s.UID == "" && s.Pod == "" && s.Namespace == "":
		out.Kind, out.Component, out.Details = waysKind, "network", s.Net.texts()
		// It comes of what some node announces: its own Node is the nearest that is known.
		if out.Cause = f.Bus.LatestByKey(trace.ObjectKey("", "nodes", "", f.Node)); out.Cause != 0 {
			out.Inferred = true
		}
	case s.Net != nil:
		return errNothing
	case s.CRI != nil && s.CNI == nil:
		if out.Kind = critrace.Kind(s.CRI.Method); out.Kind == nil {
			return errNothing
		}
		details, err := critrace.Told(s.CRI.Method, s.CRI.Request, s.CRI.Response, s.CRI.Error, s.CRI.Same)
		if err != nil {
			return err
		}
		out.Details = details
	case s.CNI != nil && s.CRI == nil:
		if s.CNI.Command != "ADD" && s.CNI.Command != "DEL" {
			return errNothing // no node tells of another
		}
		out.Kind, out.Component, out.Details = cnitrace.Kind, "container runtime", s.CNI.Bounded()
	default:
		return errNothing
	}
	if s.Namespace == "" && s.Pod == "" && s.UID == "" {
		if s.CNI != nil || s.CRI != nil && critrace.OfPod(s.CRI.Method) {
			return errNoPod
		}
		out.Object = trace.Object{Version: "v1", Resource: "nodes", Name: f.Node}
		f.Bus.Add(out)
		return nil
	}
	mine, err := f.pods.find(ctx, s.Namespace, s.Pod, s.UID)
	if err != nil {
		return err
	}
	out.Object = trace.Object{Version: "v1", Resource: "pods", Namespace: mine.namespace, Name: mine.name, UID: mine.uid}
	f.place(&out, s, mine)
	f.Bus.Add(out)
	return nil
}

// place finds what the step is drawn under: what wrote the pod first, the latest that did for what ends
// it, for a plugin the call that makes the sandbox, which is told after it, and for what is done inside of the pod
// the request that asked for it.
func (f *follower) place(out *trace.Step, s *Step, mine *pod) {
	out.Cause, out.Inferred = mine.cause, mine.cause != 0
	switch {
	case s.CNI != nil && s.CNI.Command == "ADD":
		if mine.sandbox == 0 {
			mine.sandbox = f.Bus.Reserve()
		}
		out.Cause, out.Inferred = mine.sandbox, true
	case s.CNI != nil, strings.HasPrefix(s.CRI.Method, "Stop"), strings.HasPrefix(s.CRI.Method, "Remove"):
		if latest := f.Bus.Latest(mine.uid); latest != 0 {
			out.Cause, out.Inferred = latest, true
		}
	case s.CRI.Method == "RunPodSandbox":
		out.ID, mine.sandbox = mine.sandbox, 0
	case entered[s.CRI.Method] != "":
		out.Cause = f.Bus.Entering(out.Object.Key(), entered[s.CRI.Method])
		out.Inferred = out.Cause != 0
	}
}

// entered are the calls that a request to the API server leads to, by the subresource of the pod that it asks for.
var entered = map[string]string{"Exec": "exec", "Attach": "attach", "PortForward": "portforward"}
