package cni

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// The test's own binary is the plugin, as nodehost is.
func TestMain(m *testing.M) {
	if plugin.Called() {
		plugin.Main()
		return
	}
	testnet.Main(m, nil)
}

// node is a host on which the agent runs, and libcni as the container runtime.
type node struct {
	*testnet.Host
	*Net
	options Options
	runtime *libcni.CNIConfig
	list    *libcni.NetworkConfigList

	mu     sync.Mutex
	events []plugin.Event
	valid  []string
}

func newNode(t testing.TB, h *testnet.Host, version string) *node {
	t.Helper()
	testnet.Require(t, "iptables")
	if _, err := os.Stat("/usr/lib/cni/bridge"); err != nil {
		t.Skip("the CNI plugins are missing: scripts/setup installs containernetworking-plugins")
	}
	n := &node{Host: h}
	n.options = Options{
		Dir: t.TempDir(), CacheDir: t.TempDir(), MTU: 1400, RuntimeVersion: version,
		PodCIDRs: []netip.Prefix{netip.MustParsePrefix("10.244.1.0/24")},
		Valid: func(context.Context) ([]string, error) {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.valid, nil
		},
		Event: func(e plugin.Event) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.events = append(n.events, e)
		},
	}
	var err error
	if n.Net, err = New(n.options); err != nil {
		t.Fatal(err)
	}
	n.options = n.Net.options
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		n.Do(func() { _ = Remove(n.options) })
	})
	select {
	case <-n.Ready():
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	n.runtime = n.libcni()
	if n.list, err = libcni.LoadNetworkConf(n.ConfDir(), Network); err != nil {
		t.Fatal(err)
	}
	n.MustExec(t, "sysctl", "-qw", "net.ipv4.ip_forward=1")
	return n
}

// pod is a network namespace that is a sandbox.
type pod struct {
	*testnet.Namespace
	runtime *libcni.RuntimeConf
	IP      string
}

func newPod(t testing.TB, name string, capabilities map[string]any) *pod {
	t.Helper()
	ns := testnet.NewNamespace(t)
	return &pod{Namespace: ns, runtime: &libcni.RuntimeConf{
		ContainerID: name, NetNS: ns.Path, IfName: "eth0", CapabilityArgs: capabilities,
		Args: [][2]string{{"K8S_POD_NAMESPACE", "default"}, {"K8S_POD_NAME", name}, {"IgnoreUnknown", "1"}},
	}}
}

func (n *node) add(t testing.TB, p *pod) *types100.Result {
	t.Helper()
	var r types.Result
	var err error
	n.Do(func() { r, err = n.runtime.AddNetworkList(t.Context(), n.list, p.runtime) })
	if err != nil {
		t.Fatalf("ADD %s: %v", p.runtime.ContainerID, err)
	}
	result, err := types100.GetResult(r)
	if err != nil {
		t.Fatal(err)
	}
	p.IP = result.IPs[0].Address.IP.String()
	return result
}

func (n *node) del(t testing.TB, p *pod) {
	t.Helper()
	var err error
	n.Do(func() { err = n.runtime.DelNetworkList(t.Context(), n.list, p.runtime) })
	if err != nil {
		t.Fatalf("DEL %s: %v", p.runtime.ContainerID, err)
	}
}

func (n *node) check(p *pod) (err error) {
	n.Do(func() { err = n.runtime.CheckNetworkList(context.Background(), n.list, p.runtime) })
	return err
}

// held are the addresses in use, in order.
func (n *node) held(t testing.TB) []string {
	t.Helper()
	m, err := plugin.Held(n.addressDir())
	if err != nil {
		t.Fatal(err)
	}
	addrs := []string{}
	for a, by := range m {
		addrs = append(addrs, a.String()+" "+by.ContainerID)
	}
	slices.Sort(addrs)
	return addrs
}

// told waits until the event has come, and returns it.
func (n *node) told(t testing.TB, command, delegate, container string) (found plugin.Event) {
	t.Helper()
	eventually.OK(t, command+" of "+delegate, func() error {
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, e := range n.events {
			if e.Command == command && e.Plugin == delegate && e.Container == container {
				found = e
				return nil
			}
		}
		return fmt.Errorf("not among %+v", n.events)
	})
	return found
}
