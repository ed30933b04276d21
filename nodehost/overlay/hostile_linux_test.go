package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// announced is a Node that says so of itself.
func announced(name, ip, cidr string, change ...func(*ways.Endpoint)) *corev1.Node {
	subnet := netip.MustParsePrefix(ip)
	e := ways.Endpoint{IP: subnet.Addr(), Subnet: subnet.Masked(), MTU: 1500, Mode: ways.Auto, MAC: ways.MAC(name).String(), Port: defaultPort}
	for _, c := range change {
		c(&e)
	}
	text, _ := json.Marshal(e)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{ways.Annotation: string(text)}},
		Spec:       corev1.NodeSpec{PodCIDRs: []string{cidr}},
	}
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
		announced("a-long-mac", "192.168.3.66/24", "10.244.50.0/24", func(e *ways.Endpoint) { e.MAC = "02:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01" }),
		announced("at-the-broadcast", "192.168.1.255/24", "10.244.51.0/24"), // its route is refused
		announced("all-of-it", "192.168.3.67/24", "128.0.0.0/1"),
		announced("the-lan", "192.168.3.68/24", "192.168.1.0/25"),
		announced("zz-the-same-pods", "192.168.3.69/24", b.config.Pods.String()),
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
		if !strings.Contains(line, b.config.Pods.String()) && !strings.Contains(line, confine.PodCIDR) {
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
			frame := vxlanFrame(ways.MAC(b.config.Node), ways.MAC(a.config.Node), netip.MustParseAddr(ipB), netip.MustParseAddr(ipA), 9999, "stranger")
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
			eventually.OK(t, "a stranger's frames are dropped", dropped)
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
