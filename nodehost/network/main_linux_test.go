package network

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"

	"github.com/containernetworking/cni/libcni"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/nodehost/cni"
	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
)

// The test's own binary is the CNI plugin.
func TestMain(m *testing.M) {
	if plugin.Called() {
		plugin.Main()
		return
	}
	testcluster.Main(m, testnet.Roles{"network": runNetwork, "remove": remove})
}

type nodeConfig struct {
	Access     testcluster.Access
	Dir, Cache string
	Node       string
	IP         netip.Addr
	Pods       netip.Prefix
	ResolvConf string
	Existing   string
	Theirs     []netip.Addr // pods in a network that is not ours
}

func (c nodeConfig) options() (Options, error) {
	api, err := c.Access.Config()
	if err != nil {
		return Options{}, err
	}
	// What a node may do, and no more.
	api.Impersonate = rest.ImpersonationConfig{UserName: "system:node:" + c.Node, Groups: []string{"system:nodes", "system:authenticated"}}
	return Options{
		Node: c.Node, IP: c.IP, PodCIDRs: []netip.Prefix{c.Pods}, API: api, Dial: c.Access.Dial, Dir: c.Dir, ResolvConf: c.ResolvConf, Existing: c.Existing,
		PodAddresses: func(context.Context) ([]netip.Addr, error) { return c.Theirs, nil },
		Event: func(e plugin.Event) {
			fmt.Printf("event %s %s %s\n", e.Command, e.Plugin, e.Container)
		},
	}, nil
}

func runNetwork(ctx context.Context, in []byte, ready func()) error {
	var c nodeConfig
	if err := json.Unmarshal(in, &c); err != nil {
		return err
	}
	o, err := c.options()
	if err != nil {
		return err
	}
	n, err := New(o)
	if err != nil {
		return err
	}
	go func() {
		<-n.Ready()
		ready()
	}()
	return n.Run(ctx)
}

func remove(ctx context.Context, in []byte, ready func()) error {
	var c nodeConfig
	if err := json.Unmarshal(in, &c); err != nil {
		return err
	}
	o, err := c.options()
	if err != nil {
		return err
	}
	tell := func(when string) error {
		left, err := Inventory(ctx, o)
		for _, l := range left {
			fmt.Printf("%s: %s\n", when, l)
		}
		return err
	}
	if err := tell("before"); err != nil {
		return err
	}
	o.Before = []string{}
	if err := Remove(ctx, o); err != nil {
		return err
	}
	err = tell("left")
	ready()
	return err
}

// node is a machine with its network.
type node struct {
	*testnet.Host
	process *testnet.Process
	config  nodeConfig
	pods    int
}

func newNode(t *testing.T, h *testnet.Host, name, pods string) *node {
	t.Helper()
	n := &node{Host: h, config: nodeConfig{
		Access: testcluster.Shared.Access, Dir: t.TempDir(), Cache: t.TempDir(), Node: name, IP: h.Addr.Addr(), Pods: netip.MustParsePrefix(pods),
	}}
	nodes := testcluster.Shared.Client.CoreV1().Nodes()
	_, err := nodes.Create(t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.NodeSpec{PodCIDR: pods, PodCIDRs: []string{pods}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nodes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	return n
}

func (n *node) start(t *testing.T) {
	t.Helper()
	n.process = n.Start(t, "network", n.config)
}

// pod makes a sandbox as the container runtime does, and returns it and its address.
func (n *node) pod(t *testing.T) (*testnet.Namespace, string) {
	t.Helper()
	n.pods++
	p := testnet.NewNamespace(t)
	list, err := libcni.LoadNetworkConf(n.config.Dir+"/net.d", cni.Network)
	if err != nil {
		t.Fatal(err)
	}
	runtime := libcni.NewCNIConfigWithCacheDir([]string{n.config.Dir + "/bin"}, n.config.Cache, nil)
	rt := &libcni.RuntimeConf{ContainerID: fmt.Sprintf("%s-pod-%d", n.config.Node, n.pods), NetNS: p.Path, IfName: "eth0"}
	var ip string
	n.Do(func() {
		r, addErr := runtime.AddNetworkList(t.Context(), list, rt)
		if err = addErr; err == nil {
			var result *types100.Result
			if result, err = types100.GetResult(r); err == nil {
				ip = result.IPs[0].Address.IP.String()
			}
		}
	})
	if err != nil {
		t.Fatalf("ADD: %v", err)
	}
	return p, ip
}

// theirPod makes a pod as a CNI network of somebody else's does: a pair of interfaces and a route.
func (n *node) theirPod(t *testing.T, ip string) *testnet.Namespace {
	t.Helper()
	p := testnet.NewNamespace(t)
	n.pods++
	host := fmt.Sprintf("their%d", n.pods)
	n.MustExec(t, "ip", "link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", p.Name)
	n.MustExec(t, "ip", "link", "set", host, "up")
	p.MustExec(t, "ip", "addr", "add", ip+"/32", "dev", "eth0")
	p.MustExec(t, "ip", "link", "set", "eth0", "up")
	p.MustExec(t, "ip", "route", "add", n.IP(), "dev", "eth0")
	p.MustExec(t, "ip", "route", "add", "default", "via", n.IP())
	n.MustExec(t, "ip", "route", "add", ip, "dev", host)
	return p
}
