package packetpath

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/core/trace"
)

var toldWays = trace.Declare(trace.Networking, "test.ways", trace.Place{})

// TestBetween: each hop between two pods by name, with its MTU, of nodes in the tab and real ones; and
// where there is no way, the reason.
func TestBetween(t *testing.T) {
	bus := trace.New()
	for _, n := range []struct {
		node string
		net  told.Net
	}{
		{"old", told.Net{MTU: 9000, PodMTU: 8950}},
		{"r1", told.Net{MTU: 1400, PodMTU: 1350}}, // told anew below
		{"r1", told.Net{MTU: 1500, PodMTU: 1450, Ways: []told.Way{
			{Node: "r2", By: "vxlan", Via: "192.0.2.2", MTU: 1450, Why: "they are in different subnets"},
			{Node: "r3", By: "none", Why: "it has not announced itself"},
		}}},
		{"r2", told.Net{MTU: 1500, PodMTU: 1450}},
	} {
		bus.Add(trace.Step{Kind: toldWays, Node: n.node, Details: &n.net})
	}
	made := func(name, node string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "d", Name: name, UID: types.UID(name)},
			Spec:       corev1.PodSpec{NodeName: node},
			Status:     corev1.PodStatus{PodIP: "10.0.0." + name, HostIP: "192.0.2." + name},
		}
	}
	// What decides says no by the pods' addresses: 5 is on a node that was stopped, 6 on one that was unplugged.
	refusals := map[string]string{
		"1 5": "t5: the node is stopped", "5 1": "dropped on the way: t5: the node is stopped", "1 6": "t6: the node is stopped",
		"6 9": "dropped on the way: t6: the node is stopped", "9 6": "t6: the node is stopped",
		"1 2x": "dropped on the way: a NetworkPolicy of pod d/1 forbids egress to 10.0.0.2x:80",
		"2 1x": "dropped on the way: a NetworkPolicy of pod d/1x forbids ingress from 10.0.0.2",
		"1x 9": "dropped on the way: a NetworkPolicy of pod d/1x forbids egress to 10.0.0.9:80",
		"9 1x": "dropped on the way: a NetworkPolicy of pod d/1x forbids ingress from 10.0.0.9",
	}
	for _, c := range []struct {
		from, to *corev1.Pod
		want     string
	}{
		{made("1", "t1"), made("5", "t5"), "pod d/1 in-tab network, t1 nothing: t5: the node is stopped"},
		{made("5", "t5"), made("1", "t1"), "pod d/5 in-tab network, t5 nothing: dropped on the way: t5: the node is stopped"},
		{made("1", "t1"), made("6", "t6"), "pod d/1 in-tab network, t1 nothing: t6: the node is stopped"},
		{made("6", "t6"), made("9", "r1"), "pod d/6 in-tab network, t6 nothing: dropped on the way: t6: the node is stopped"},
		{made("9", "r1"), made("6", "t6"), "pod d/9 eth0 1450, r1 veth pair, bridge 1450, r1 tab-pods 1450, t6 nothing: t6: the node is stopped"},
		{made("1", "t1"), made("2x", "t2"), "pod d/1 in-tab network, t1 nothing: dropped on the way: a NetworkPolicy of pod d/1 forbids egress to 10.0.0.2x:80"},
		{made("2", "t2"), made("1x", "t1"), "pod d/2 in-tab network, t2 nothing: dropped on the way: a NetworkPolicy of pod d/1x forbids ingress from 10.0.0.2"},
		{made("1x", "t1"), made("9", "r1"), "pod d/1x in-tab network, t1 nothing: dropped on the way: a NetworkPolicy of pod d/1x forbids egress to 10.0.0.9:80"},
		{made("9", "r1"), made("1x", "t1"), "pod d/9 eth0 1450, r1 veth pair, bridge 1450, r1 tab-pods 1450, t1 nothing: dropped on the way: a NetworkPolicy of pod d/1x forbids ingress from 10.0.0.9"},
		{made("1", "t1"), made("1", "t1"), "pod d/1 loopback"},
		{made("1", "t1"), made("2", "t1"), "pod d/1 in-tab network, t1 in-tab dialer, pod d/2 in-tab network"},
		{made("1", "t1"), made("2", "t2"), "pod d/1 in-tab network, t1 in-tab dialer, t2 in-tab listener, pod d/2 in-tab network"},
		{made("1", "t1"), made("9", "r1"), "pod d/1 in-tab network, t1 tunnel, r1 bridge 1450, pod d/9 eth0 1450"},
		{made("1", "t1"), made("8", "r2"), "pod d/1 in-tab network, t1 nothing: the tab has no route to 10.0.0.8: r2 is not connected"},
		{made("9", "r1"), made("1", "t1"), "pod d/9 eth0 1450, r1 veth pair, bridge 1450, r1 tab-pods 1450, t1 tunnel, pod d/1 in-tab network"},
		{made("9", "r1"), made("8", "r2"), "pod d/9 eth0 1450, r1 veth pair, bridge 1450, r1 → r2 vxlan 1450, r2 bridge, veth pair 1450, pod d/8 eth0 1450"},
		{made("9", "r1"), made("7", "r1"), "pod d/9 eth0 1450, r1 veth pair, bridge 1450, pod d/7 eth0 1450"},
		{made("9", "r1"), made("3", "r3"), "pod d/9 eth0 1450, r1 veth pair, bridge 1450, r1 nothing: it has not announced itself"},
		{made("4", "r4"), made("8", "r2"), "pod d/4 eth0, r4 veth pair, bridge, r4 nothing: " + errNotTold.Error()},
	} {
		path := Between(c.from, c.to, Known{
			InTab:     func(node string) bool { return strings.HasPrefix(node, "t") },
			Tunnelled: func(ip string) bool { return ip == "10.0.0.9" }, Trace: bus,
			Passes: func(from, to *corev1.Pod) (string, error) {
				if why := refusals[from.Name+" "+to.Name]; why != "" {
					return "", errors.New(why)
				}
				return "TCP port 80", nil
			},
		})
		var hops []string
		for _, h := range path.Hops {
			text := h.At + " " + h.By
			if h.MTU > 0 {
				text += " " + map[int]string{1500: "1500", 1450: "1450", 1400: "1400"}[h.MTU]
			}
			if h.By == "nothing" {
				text += ": " + h.Why
			}
			hops = append(hops, text)
		}
		if got := strings.Join(hops, ", "); got != c.want {
			t.Errorf("%s", got)
			t.Errorf("want %s", c.want)
		}
		if path.Arrives == strings.Contains(c.want, "nothing") {
			t.Errorf("%s: arrives is %v", c.want, path.Arrives)
		}
	}
}
