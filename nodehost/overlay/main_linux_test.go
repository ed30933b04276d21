package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
)

func TestMain(m *testing.M) {
	testcluster.Main(m, testnet.Roles{"overlay": runOverlay})
}

type config struct {
	testcluster.Agent
	Dir               string
	Mode              ways.Mode
	Seen              netip.Addr
	Remove, Inventory bool // in place of running
}

const bridge = "tab-br0"

// runOverlay is a node's agent in a process of its own.
func runOverlay(ctx context.Context, in []byte, ready func()) error {
	var c config
	if err := json.Unmarshal(in, &c); err != nil {
		return err
	}
	rest, err := c.Begin()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(rest)
	if err != nil {
		return err
	}
	o := Options{
		Client: client, Dir: c.Dir, NodeName: c.Node, NodeIP: c.IP, PodCIDRs: []netip.Prefix{c.Pods}, Mode: c.Mode, Seen: c.Seen, Bridge: bridge,
		ClusterCIDRs: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")},
		Changed: func(_ ways.Peer, to []ways.Way) {
			for _, w := range to {
				fmt.Printf("way to %s by %s: %s\n", w.Name, w.Path, w.Reason)
			}
			fmt.Printf("%d ways\n", len(to))
		},
	}
	switch {
	case c.Remove:
		if err := Remove(ctx, o); err != nil {
			return err
		}
		fallthrough
	case c.Inventory:
		left, err := Inventory(ctx, o)
		for _, l := range left {
			fmt.Println("left:", l)
		}
		ready()
		return err
	}
	v, err := New(o)
	if err != nil {
		return err
	}
	go func() {
		<-v.Ready()
		ready()
	}()
	return v.Run(ctx)
}

// node is a host with an agent and pods.
type node struct {
	*testnet.Host
	config  config
	process *testnet.Process
	pods    int
}

var numbers int

// newNode makes a host and its Node object; the agent is not started.
func newNode(t testing.TB, h *testnet.Host, change ...func(*config)) *node {
	t.Helper()
	numbers++
	n := &node{Host: h, config: config{Dir: t.TempDir(), Agent: testcluster.Agent{
		Access: testcluster.Shared.Access, Node: fmt.Sprintf("real-%d", numbers), IP: h.Addr.Addr(),
		Pods: netip.MustParsePrefix(fmt.Sprintf("10.244.%d.0/24", 100+numbers)),
	}}}
	for _, c := range change {
		c(&n.config)
	}
	nodes := testcluster.Shared.Client.CoreV1().Nodes()
	_, err := nodes.Create(t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.config.Node},
		Spec:       corev1.NodeSpec{PodCIDR: n.config.Pods.String(), PodCIDRs: []string{n.config.Pods.String()}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nodes.Delete(context.Background(), n.config.Node, metav1.DeleteOptions{}) })
	// What the CNI plugin does.
	n.MustExec(t, "ip", "link", "add", bridge, "address", "02:00:5e:00:00:02", "type", "bridge") // one that stays, as the plugin has it
	n.MustExec(t, "ip", "addr", "add", n.config.Pods.Addr().Next().String()+"/24", "dev", bridge)
	n.MustExec(t, "ip", "link", "set", bridge, "up")
	return n
}

func (n *node) start(t testing.TB) *node {
	t.Helper()
	n.process = n.Start(t, "overlay", n.config)
	return n
}

// pod makes a pod that serves on port 80, and returns it and its address.
func (n *node) pod(t testing.TB, mtu int) (*testnet.Namespace, string) {
	t.Helper()
	n.pods++
	p := testnet.NewNamespace(t)
	host := fmt.Sprintf("veth%d", n.pods)
	gateway := n.config.Pods.Addr().Next()
	ip := gateway.Next()
	for range n.pods - 1 {
		ip = ip.Next()
	}
	n.MustExec(t, "ip", "link", "add", host, "mtu", fmt.Sprint(mtu), "type", "veth", "peer", "name", "eth0", "mtu", fmt.Sprint(mtu), "netns", p.Name)
	n.MustExec(t, "ip", "link", "set", host, "master", bridge, "up")
	p.MustExec(t, "ip", "addr", "add", ip.String()+"/24", "dev", "eth0")
	p.MustExec(t, "ip", "link", "set", "eth0", "up")
	p.MustExec(t, "ip", "route", "add", "default", "via", gateway.String())
	serve(t, p, ip.String()+":80")
	return p, ip.String()
}
