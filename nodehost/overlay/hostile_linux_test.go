package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
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

// reader is a node that hears of others; nothing of the machine is touched.
func reader() *Overlay {
	return &Overlay{
		options: Options{
			NodeName: "self", ClusterCIDRs: []netip.Prefix{clusterCIDR}, MaskSize: confine.PodMaskSize,
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		},
		self: peer("self", "192.168.1.1/24", "10.244.1.0/24"), told: map[saying]string{},
	}
}

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
		"another node's MAC":         with(func(p *Peer) { p.MAC = macOf("victim").String() }),
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
		"an MTU that nothing fits":   with(func(p *Peer) { p.MTU = overhead }),
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
	self := announced("self", "", 0, "10.244.1.0/24")
	o := reader()
	ways, own := o.waysTo(append(evil, victim, self))
	if own != self {
		t.Fatal("its own Node is not found")
	}
	p := newPlan(o.self, ways, o.options.ClusterCIDRs, 7, 2)
	first := netip.MustParseAddr("10.244.7.0")
	if want := (route{kind: 1, via: first, link: 7, onlink: true}); p.routes[netip.MustParsePrefix("10.244.7.0/24")] != want {
		t.Errorf("the victim's pods are at %+v, want %+v", p.routes[netip.MustParsePrefix("10.244.7.0/24")], want)
	}
	if mac := macOf("victim").String(); p.neighbours[first] != mac || p.forwards[mac] != netip.MustParseAddr("192.168.2.2") {
		t.Errorf("the victim is behind %s at %s", p.neighbours[first], p.forwards[p.neighbours[first]])
	}
	for dst := range p.routes {
		if dst != clusterCIDR && (dst.Bits() != confine.PodMaskSize || !clusterCIDR.Contains(dst.Addr()) || dst.Overlaps(o.self.PodCIDR)) {
			t.Errorf("there is a route to %s", dst)
		}
	}
	for _, w := range ways {
		if w.MTU < minMTU-overhead || w.MTU > maxMTU || w.MAC != macOf(w.Name).String() {
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

// podCIDRsAreGiven waits until a Node without a pod CIDR has got one. Upstream's controller manager ends
// if it finds a Node with one outside of the cluster's when it starts (pkg/controller/nodeipam); later
// it passes over it.
func podCIDRsAreGiven(t *testing.T) {
	t.Helper()
	nodes := testcluster.Shared.Client.CoreV1().Nodes()
	first := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "the-first"}}
	if _, err := nodes.Create(t.Context(), first, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nodes.Delete(context.Background(), first.Name, metav1.DeleteOptions{}) }()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		n, err := nodes.Get(ctx, first.Name, metav1.GetOptions{})
		return err == nil && n.Spec.PodCIDR != "", err
	})
	if err != nil {
		t.Fatal("no pod CIDR was given to a Node: ", err)
	}
}

// Nodes that write what the kernel refuses, or claim others' addresses, keep no fresh node from being
// ready, and no two others from reaching each other.
func TestAHostileNodeStopsNobody(t *testing.T) {
	net := begin(t)
	ha, hb := net.Host(t, "192.168.1.11/24"), net.Host(t, "192.168.2.12/24")
	b := newNode(t, hb)
	nodes := testcluster.Shared.Client.CoreV1().Nodes()
	podCIDRsAreGiven(t)
	for i, n := range []*corev1.Node{
		announced("a-long-mac", announcement("a-long-mac", "192.168.3.66/24", func(p *Peer) { p.MAC = "02:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01" }), 0, "10.244.50.0/24"),
		announced("at-the-broadcast", announcement("at-the-broadcast", "192.168.1.255/24"), 0, "10.244.51.0/24"), // its route is refused
		announced("all-of-it", announcement("all-of-it", "192.168.3.67/24"), 0, "128.0.0.0/1"),
		announced("the-lan", announcement("the-lan", "192.168.3.68/24"), 0, "192.168.1.0/25"),
		announced("zz-the-same-pods", announcement("zz-the-same-pods", "192.168.3.69/24"), 0, b.config.Pods.String()),
	} {
		if i == 4 { // Nodes of one second are ordered by name
			time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
		}
		if _, err := nodes.Create(t.Context(), n, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = nodes.Delete(context.Background(), n.Name, metav1.DeleteOptions{}) })
	}
	a := newNode(t, ha).start(t) // it is ready
	b.start(t)
	a.process.WaitFor(t, "way to "+b.config.Node+" by vxlan")
	pa, ipA := a.pod(t, 1450)
	pb, ipB := b.pod(t, 1450)
	wantReach(t, pa, ipA, pb, ipB, 1450)
	for line := range strings.Lines(a.MustExec(t, "ip", "route", "show", "proto", "84")) {
		to := strings.TrimPrefix(strings.Fields(line)[0], "unreachable")
		if !strings.Contains(line, b.config.Pods.String()) && !strings.Contains(line, clusterCIDR.String()) {
			t.Errorf("there is a route to %s: %s", to, line)
		}
	}
}

// VXLAN is let in from nodes only: a machine that is none puts no frame among the pods.
func TestVXLANFromStrangersIsDropped(t *testing.T) {
	for _, how := range []string{"nftables", "iptables"} {
		t.Run(how, func(t *testing.T) {
			net := begin(t)
			a := newNode(t, net.Host(t, "192.168.1.11/24"), func(c *config) {
				if how == "iptables" {
					c.Path = testnet.Without(t, "nft")
				}
			}).start(t)
			b := newNode(t, net.Host(t, "192.168.2.12/24")).start(t)
			a.process.WaitFor(t, "way to "+b.config.Node+" by vxlan")
			pa, ipA := a.pod(t, 1450)
			pb, ipB := b.pod(t, 1450)
			wantReach(t, pa, ipA, pb, ipB, 1450)
			pod := pa.ListenPacket(t, ipA+":9999")
			stranger := net.Host(t, "192.168.3.66/24")
			conn, err := stranger.Dial("udp", a.IP()+":8472")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			frame := vxlanFrame(macOf(b.config.Node), macOf(a.config.Node), netip.MustParseAddr(ipB), netip.MustParseAddr(ipA), 9999, "stranger")
			dropped := func() error {
				list := map[string][]string{"nftables": {"nft", "list", "chain", "ip", Table, "vxlan"}, "iptables": {"iptables", "-nvxL", string(peersChain)}}[how]
				out := a.MustExec(t, list[0], list[1:]...)
				for line := range strings.Lines(out) {
					f := strings.Fields(line)
					if strings.Contains(line, "DROP") && f[0] != "0" || strings.Contains(line, "drop") && !strings.Contains(line, "packets 0 ") {
						return nil
					}
				}
				return fmt.Errorf("nothing is dropped:\n%s", out)
			}
			for range 3 {
				if _, err := conn.Write(frame); err != nil {
					t.Fatal(err)
				}
			}
			testnet.Eventually(t, "a stranger's frames are dropped", dropped)
			// A node's own frame comes after them, and is the first that the pod hears.
			other, err := pb.Dial("udp", ipA+":9999")
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			heard := make(chan struct{})
			defer close(heard)
			go func() { // a datagram may be lost on a way that is new
				for {
					_, _ = other.Write([]byte("node"))
					select {
					case <-heard:
						return
					case <-time.After(200 * time.Millisecond):
					}
				}
			}()
			buffer := make([]byte, 100)
			_ = pod.SetReadDeadline(time.Now().Add(10 * time.Second))
			if n, _, err := pod.ReadFrom(buffer); err != nil || string(buffer[:n]) != "node" {
				t.Errorf("the pod heard %q, %v", buffer[:n], err)
			}
		})
	}
}
