package packetpath

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Hop is a place that what one pod sends to another comes through.
type Hop struct {
	// At is where it is: "pod default/a", "node-1".
	At string `json:"at"`
	// By is what takes it there: "eth0", "bridge", "VXLAN", "in-tab dialer", …; Address is that of the place.
	By      string `json:"by"`
	Address string `json:"address,omitempty"`
	// MTU is the largest packet in bytes; 0 where there are no packets: what is sent within the tab is
	// handed on in memory, as long as it is.
	MTU int `json:"mtu,omitempty"`
	// Why says why it goes this way, or not at all.
	Why string `json:"why,omitempty"`
}

// Subnet is a node's range of pod addresses.
type Subnet struct {
	Node string `json:"node"`
	Pods string `json:"pods"`
	// InTab is whether the node is one of the tab's own.
	InTab bool `json:"inTab"`
}

// Path is the way of a packet from one pod to another.
type Path struct {
	Hops []Hop `json:"hops"`
	// Arrives is whether there is such a way.
	Arrives bool `json:"arrives"`
	// MTU is the smallest on the way; 0 if there are no packets.
	MTU     int      `json:"mtu,omitempty"`
	Subnets []Subnet `json:"subnets"`
}

// Known is what a path is found by.
type Known struct {
	// InTab is whether a node is one of the tab's own.
	InTab func(node string) bool
	// Tunnelled is whether an address is reached through a real node's tunnel, and not in this process's memory.
	Tunnelled func(ip string) bool
	// Passes is whether a connection of one pod to another is let through where in-tab nodes carry it, at which port it
	// was asked for, and why not: by NetworkPolicies, or as a node is stopped.
	Passes func(from, to *corev1.Pod) (port string, err error)
	// Trace has what real nodes told of their ways (network.ways); nil if there are none.
	Trace *trace.Bus
}

// Between says which way a packet takes from one pod to another. Both have a node and an address.
func Between(from, to *corev1.Pod, by Known) *Path {
	w := walk{path: &Path{Arrives: true}, trace: by.Trace, tunnelled: by.Tunnelled, passes: by.Passes}
	w.between(from, to, by.InTab(from.Spec.NodeName), by.InTab(to.Spec.NodeName))
	for _, h := range w.path.Hops {
		if h.MTU > 0 && (w.path.MTU == 0 || h.MTU < w.path.MTU) {
			w.path.MTU = h.MTU
		}
	}
	return w.path
}

// walk notes the hops of one path.
type walk struct {
	path      *Path
	trace     *trace.Bus
	tunnelled func(ip string) bool
	passes    func(from, to *corev1.Pod) (string, error)
}

func (w *walk) hop(h Hop) { w.path.Hops = append(w.path.Hops, h) }

// stop notes where it does not go on.
func (w *walk) stop(at, why string) {
	w.hop(Hop{At: at, By: "nothing", Why: why})
	w.path.Arrives = false
}

func (w *walk) between(from, to *corev1.Pod, fromTab, toTab bool) {
	a, b := from.Spec.NodeName, to.Spec.NodeName
	switch {
	case from.UID == to.UID:
		w.hop(Hop{At: pod(from), By: "loopback", Address: from.Status.PodIP, Why: "it speaks to itself"})
	case fromTab && toTab:
		w.end(from, "in-tab network", 0)
		port, err := w.passes(from, to)
		if err != nil {
			w.stop(a, err.Error())
			return
		}
		w.hop(Hop{At: a, By: "in-tab dialer", Address: from.Status.HostIP, Why: "the address is no Service's and has no route: it is one of this process's memory; no NetworkPolicy is against " + port})
		if a != b {
			w.hop(Hop{At: b, By: "in-tab listener", Address: to.Status.HostIP, Why: "in-tab nodes are in one process"})
		}
		w.end(to, "in-tab network", 0)
	case fromTab:
		w.end(from, "in-tab network", 0)
		if !w.tunnelled(to.Status.PodIP) {
			w.stop(a, "the tab has no route to "+to.Status.PodIP+": "+b+" is not connected")
			return
		}
		port, err := w.passes(from, to)
		if err != nil {
			w.stop(a, err.Error())
			return
		}
		w.hop(Hop{At: a, By: "tunnel", Address: from.Status.HostIP, Why: "the router leads the addresses of " + b + "'s pods through its tunnel, as one connection; no NetworkPolicy is against " + port})
		mtu := w.mtuOf(b)
		w.hop(Hop{At: b, By: "bridge", Address: to.Status.HostIP, MTU: mtu, Why: "the node dials the pod itself"})
		w.end(to, "eth0", mtu)
	case toTab:
		mtu := w.mtuOf(a)
		w.end(from, "eth0", mtu)
		w.hop(Hop{At: a, By: "veth pair, bridge", Address: from.Status.HostIP, MTU: mtu, Why: "the pod's default route leads to the bridge"})
		w.hop(Hop{At: a, By: "tab-pods", MTU: mtu, Why: "nodehost's TUN interface has what is for no real node's pod; its TCP ends there"})
		if !w.tunnelled(from.Status.PodIP) {
			w.stop(a, a+" is not connected")
			return
		}
		port, err := w.passes(from, to)
		if err != nil {
			w.stop(b, err.Error())
			return
		}
		w.hop(Hop{At: b, By: "tunnel", Address: to.Status.HostIP, Why: "it goes on through " + a + "'s tunnel, as one connection, which the cluster makes to the pod; no NetworkPolicy is against " + port})
		w.end(to, "in-tab network", 0)
	default:
		w.real(from, to)
	}
}

// real walks from a pod of a real node to one of another.
func (w *walk) real(from, to *corev1.Pod) {
	a, b := from.Spec.NodeName, to.Spec.NodeName
	net, way, err := w.way(a, b)
	mtu := 0
	if net != nil {
		mtu = net.PodMTU
	}
	w.end(from, "eth0", mtu)
	w.hop(Hop{At: a, By: "veth pair, bridge", Address: from.Status.HostIP, MTU: mtu, Why: "the pod's default route leads to the bridge"})
	switch {
	case a == b:
	case err != nil:
		w.stop(a, err.Error())
		return
	case way.By != "route" && way.By != "vxlan":
		w.stop(a, way.Why)
		return
	default:
		w.hop(Hop{At: a + " → " + b, By: way.By, Address: way.Via, MTU: way.MTU, Why: way.Why})
		w.hop(Hop{At: b, By: "bridge, veth pair", Address: to.Status.HostIP, MTU: w.mtuOf(b)})
	}
	w.end(to, "eth0", w.mtuOf(b))
}

func (w *walk) end(p *corev1.Pod, by string, mtu int) {
	h := Hop{At: pod(p), By: by, Address: p.Status.PodIP, MTU: mtu}
	if p.Spec.HostNetwork {
		h.By, h.Why = "the node's own network", "it has hostNetwork"
	}
	w.hop(h)
}

func pod(p *corev1.Pod) string { return "pod " + p.Namespace + "/" + p.Name }

var errNotTold = errors.New("its node has not told which ways it takes, or that is no longer held in the trace")

// told is what a real node said last of its ways; nil if nothing is held.
func (w *walk) told(node string) *told.Net {
	steps, _ := w.trace.All()
	for _, s := range slices.Backward(steps) {
		if n, ok := s.Details.(*told.Net); ok && s.Node == node {
			return n
		}
	}
	return nil
}

func (w *walk) way(from, to string) (*told.Net, told.Way, error) {
	n := w.told(from)
	if n == nil {
		return nil, told.Way{}, errNotTold
	}
	for _, way := range n.Ways {
		if way.Node == to {
			return n, way, nil
		}
	}
	if from == to {
		return n, told.Way{}, nil
	}
	return n, told.Way{}, fmt.Errorf("it knows no way to %s", to)
}

// mtuOf is that of a node's pods and their bridge.
func (w *walk) mtuOf(node string) int {
	if n := w.told(node); n != nil {
		return n.PodMTU
	}
	return 0
}
