package confine

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var plan = Plan{Cluster: []netip.Prefix{netip.MustParsePrefix(PodCIDR)}, MaskSize: PodMaskSize}

// node was made so many seconds after the first.
func node(name string, made int, cidrs ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(int64(1000+made), 0))}}
	n.Spec.PodCIDRs = cidrs
	return n
}

func TestNoMachineHasTheClustersNames(t *testing.T) {
	for _, name := range []string{
		"", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "localhost",
		"localhost.localdomain", "x.localhost", "tab.tabernetes.internal", "tabernetes.internal", "web.default.svc",
		"web.default.svc.cluster.local", "127.0.0.1", "10.96.0.1", "node-1", "node-4000000000", InTabNode(0), InTabNode(249),
	} {
		if Name(name) == nil {
			t.Errorf("a machine can be %q", name)
		}
	}
	for _, name := range []string{"alpha", "node-a", "node-1.example.com", "my-node-1", "kubernetes-1", "svc-1", "localhost-2", "10.example"} {
		if err := Name(name); err != nil {
			t.Error(err)
		}
	}
}

func TestNoMachineHasTheClustersAddresses(t *testing.T) {
	reserved := []netip.Prefix{netip.MustParsePrefix(PodCIDR), netip.MustParsePrefix("10.96.0.0/16")}
	for _, a := range []string{
		"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "169.254.20.10", "fe80::1", "fe80::1%eth0", "2001:db8::1%eth0",
		"224.0.0.1", "255.255.255.255", "10.96.0.1", "::ffff:10.96.0.1", "10.244.7.1",
	} {
		if Address(netip.MustParseAddr(a), reserved) == nil {
			t.Errorf("a machine can have %s", a)
		}
	}
	if Address(netip.Addr{}, reserved) == nil {
		t.Error("a machine can have no address")
	}
	for _, a := range []string{"192.0.2.7", "10.0.0.1", "2001:db8::1"} {
		if err := Address(netip.MustParseAddr(a), reserved); err != nil {
			t.Error(err)
		}
	}
}

// A node that chooses its pod CIDR gets no more than the controller would have given it, and nothing
// that another node has.
func TestANodeDoesNotChooseItsPods(t *testing.T) {
	nodes := []*corev1.Node{
		node("half-of-everything", 0, "128.0.0.0/1"), node("everything", 0, "0.0.0.0/0"), node("all-pods", 0, "10.244.0.0/16"),
		node("two-nodes", 0, "10.244.6.0/23"), node("half-a-node", 0, "10.244.5.0/25"), node("one-address", 0, "10.244.5.1/32"),
		node("a-neighbour", 0, "192.168.1.0/24"), node("not-its-first", 0, "10.244.5.7/24"), node("mapped", 0, "::ffff:10.244.5.0/120"),
		node("no-cidr", 0, "../../etc"), node("ipv6", 0, "2001:db8::/24"),
		node("victim", 5, "10.244.7.0/24"), node("a-thief", 6, "10.244.7.0/24"), node("b-thief", 6, "10.244.7.0/24", "10.244.9.0/24"),
		node("one-second-b", 7, "10.244.8.0/24"), node("one-second-a", 7, "10.244.8.0/24"), node("none", 0),
	}
	want := map[string]string{"victim": "10.244.7.0/24", "b-thief": "10.244.9.0/24", "one-second-a": "10.244.8.0/24"}
	for range 2 {
		granted, refused := plan.Granted(nodes)
		if len(granted) != len(want) {
			t.Errorf("%v", granted)
		}
		for name, cidr := range want {
			if got := granted[name]; len(got) != 1 || got[0].String() != cidr {
				t.Errorf("%s has %v, want %s", name, got, cidr)
			}
		}
		for _, n := range nodes {
			if refused[n.Name] == nil && len(granted[n.Name]) < len(n.Spec.PodCIDRs) {
				t.Errorf("nobody says why %s has not all that it writes", n.Name)
			}
		}
		slices.Reverse(nodes)
	}
}
