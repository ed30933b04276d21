package ways

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/confine"
)

var clusterCIDR = netip.MustParsePrefix(confine.PodCIDR)

// announced is a Node that says so of itself, made so many seconds after the first.
func announced(name, text string, made int, cidrs ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, CreationTimestamp: metav1.NewTime(time.Unix(int64(1000+made), 0)), Annotations: map[string]string{Annotation: text},
	}}
	n.Spec.PodCIDRs = cidrs
	return n
}

// announcement is what an honest node says, changed.
func announcement(name, ip string, change ...func(*Peer)) string {
	b, _ := json.Marshal(peer(name, ip, "10.244.9.0/24", change...).Endpoint)
	return string(b)
}

// self is a node that hears of others.
var self = peer("self", "192.168.1.1/24", "10.244.1.0/24")

func TestAnnouncementsAreCheckedFieldByField(t *testing.T) {
	with := func(change func(*Peer)) string { return announcement("evil", "192.168.1.9/24", change) }
	addr := netip.MustParseAddr
	for what, text := range map[string]string{
		"nothing":                    "",
		"no JSON":                    "{",
		"another kind":               "[]",
		"too much":                   `{"x":"` + strings.Repeat("x", maxAnnouncement) + `"}`,
		"a MAC of 20 bytes":          with(func(p *Peer) { p.MAC = "02:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01" }),
		"a MAC of 8 bytes":           with(func(p *Peer) { p.MAC = "02:00:00:00:00:00:00:01" }),
		"another node's MAC":         with(func(p *Peer) { p.MAC = MAC("victim").String() }),
		"no MAC":                     with(func(p *Peer) { p.MAC = "" }),
		"no address":                 with(func(p *Peer) { p.IP = netip.Addr{} }),
		"loopback":                   with(func(p *Peer) { p.IP, p.Subnet = addr("127.0.0.1"), netip.MustParsePrefix("127.0.0.0/8") }),
		"everybody's address":        with(func(p *Peer) { p.IP, p.Subnet = addr("224.0.0.1"), netip.MustParsePrefix("224.0.0.0/4") }),
		"the broadcast address":      with(func(p *Peer) { p.IP, p.Subnet = addr("255.255.255.255"), netip.MustParsePrefix("0.0.0.0/0") }),
		"link-local":                 with(func(p *Peer) { p.IP, p.Subnet = addr("169.254.20.10"), netip.MustParsePrefix("169.254.0.0/16") }),
		"a pod's address":            with(func(p *Peer) { p.IP, p.Subnet = addr("10.244.7.1"), clusterCIDR }),
		"IPv6":                       with(func(p *Peer) { p.IP = addr("2001:db8::1") }),
		"IPv4 in IPv6":               with(func(p *Peer) { p.IP = addr("::ffff:192.168.1.9") }),
		"another's subnet":           with(func(p *Peer) { p.Subnet = netip.MustParsePrefix("192.168.2.0/24") }),
		"no subnet":                  with(func(p *Peer) { p.Subnet = netip.Prefix{} }),
		"a subnet with an address":   with(func(p *Peer) { p.Subnet = netip.MustParsePrefix("192.168.1.9/24") }),
		"no MTU":                     with(func(p *Peer) { p.MTU = 0 }),
		"a negative MTU":             with(func(p *Peer) { p.MTU = -1 }),
		"an MTU that nothing fits":   with(func(p *Peer) { p.MTU = Overhead }),
		"an MTU out of range":        with(func(p *Peer) { p.MTU = 1 << 32 }),
		"port 0":                     with(func(p *Peer) { p.Port = 0 }),
		"a port out of range":        with(func(p *Peer) { p.Port = 65536 + 8472 }),
		"an unknown mode":            with(func(p *Peer) { p.Mode = "bridge" }),
		"no mode":                    with(func(p *Peer) { p.Mode = "" }),
		"behind a NAT on loopback":   with(func(p *Peer) { p.NAT = addr("127.0.0.1") }),
		"behind a NAT with a zone":   strings.Replace(with(func(p *Peer) { p.NAT = addr("2001:db8::1") }), "2001:db8::1", "2001:db8::1%eth0", 1),
		"an address that is no text": `{"ip":7}`,
	} {
		if e, err := parse("evil", text, []netip.Prefix{clusterCIDR}); err == nil {
			t.Errorf("%s: %+v", what, e)
		}
	}
	good := announcement("evil", "192.168.1.9/24", func(p *Peer) { p.NAT = addr("203.0.113.1") })
	if e, err := parse("evil", good, []netip.Prefix{clusterCIDR}); err != nil || e.IP != addr("192.168.1.9") {
		t.Errorf("an honest one: %+v, %v", e, err)
	}
}

// Whatever one node writes: what the kernel is told of another stays as it is, and nothing is told but
// what is one node's pods.
func checkPlan(t *testing.T, evil ...*corev1.Node) {
	t.Helper()
	victim := announced("victim", announcement("victim", "192.168.2.2/24"), 0, "10.244.7.0/24")
	own := announced("self", "", 0, "10.244.1.0/24")
	found := Of(self, append(evil, victim, own), confine.Plan{Cluster: []netip.Prefix{clusterCIDR}, MaskSize: confine.PodMaskSize})
	if found.Own != own {
		t.Fatal("its own Node is not found")
	}
	p := NewPlan(self, found.Ways, []netip.Prefix{clusterCIDR}, 7, 2)
	first := netip.MustParseAddr("10.244.7.0")
	if want := (Route{Via: first, Link: 7, OnLink: true}); p.Routes[netip.MustParsePrefix("10.244.7.0/24")] != want {
		t.Errorf("the victim's pods are at %+v, want %+v", p.Routes[netip.MustParsePrefix("10.244.7.0/24")], want)
	}
	if mac := MAC("victim").String(); p.Neighbours[first] != mac || p.Forwards[mac] != netip.MustParseAddr("192.168.2.2") {
		t.Errorf("the victim is behind %s at %s", p.Neighbours[first], p.Forwards[p.Neighbours[first]])
	}
	for dst := range p.Routes {
		if dst != clusterCIDR && (dst.Bits() != confine.PodMaskSize || !clusterCIDR.Contains(dst.Addr()) || dst.Overlaps(self.PodCIDR)) {
			t.Errorf("there is a route to %s", dst)
		}
	}
	for _, w := range found.Ways {
		if w.MTU < minMTU-Overhead || w.MTU > maxMTU || w.MAC != MAC(w.Name).String() {
			t.Errorf("way %+v", w)
		}
	}
}

func TestNoNodeDrawsAnothersTraffic(t *testing.T) {
	for _, cidr := range []string{
		"128.0.0.0/1", "0.0.0.0/0", "192.168.1.0/25", "192.168.2.2/32", "10.244.0.0/16", "10.244.7.0/24", "10.244.7.0/25", "10.244.1.0/24",
		"10.244.6.0/23", "10.96.0.0/24", "172.30.0.10/32", "127.0.0.0/8", "::/0", "x",
	} {
		for _, name := range []string{"evil", "zz-evil"} { // before and after the victim by name
			checkPlan(t, announced(name, announcement(name, "192.168.3.66/24"), 5, cidr))
			checkPlan(t, announced(name, announcement(name, "192.168.1.66/24"), 5, cidr))
		}
	}
	// At the victim's address, or with its MAC: the victim's own pods are where they were.
	checkPlan(t, announced("evil", announcement("evil", "192.168.2.2/24"), 5, "10.244.9.0/24"))
	checkPlan(t, announced("zz-evil", announcement("victim", "192.168.3.66/24"), 5, "10.244.9.0/24"))
}

// FuzzAnnouncement: no name, annotation and pod CIDR of one Node changes the way to another, or makes a
// route to anything but one node's pods.
func FuzzAnnouncement(f *testing.F) {
	f.Add("evil", announcement("evil", "192.168.3.66/24"), "10.244.9.0/24")
	f.Add("evil", announcement("evil", "192.168.1.66/24", func(p *Peer) { p.NAT = netip.MustParseAddr("203.0.113.1") }), "10.244.7.0/24")
	f.Add("zz", announcement("victim", "192.168.2.2/24"), "128.0.0.0/1")
	f.Add("", `{"ip":"192.168.1.5","subnet":"0.0.0.0/0","mtu":1500,"mode":"auto","mac":"02:00:00:00:00:01","port":8472}`, "::ffff:10.244.9.0/120")
	f.Fuzz(func(t *testing.T, name, text, cidr string) {
		if name == "self" || name == "victim" {
			return // a name is one Node's
		}
		checkPlan(t, announced(name, text, 5, cidr), announced(name+"2", text, 6, cidr))
	})
}
