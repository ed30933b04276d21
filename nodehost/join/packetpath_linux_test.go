package join

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/packetpath"
	wire "github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/core/trace"
)

var testWays = trace.Declare(trace.Networking, "test.ways", trace.Place{})

// testPathsOfPackets compares what the cluster says of a packet's path with what the kernels of the machines
// say: between subnets, and with a third machine within one.
func (r *rig) testPathsOfPackets(t *testing.T, a, b *host) {
	c := r.host(t, "gamma", "192.168.171.13/24")
	c.Join(t, c.JoinLine(t)...)
	c.ImportImages(t, "pause", "nginx")
	for _, h := range []*host{b, c} {
		r.apply(t, fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: far-%[1]s}
spec:
  nodeName: %[1]s
  tolerations: [{operator: Exists}]
  terminationGracePeriodSeconds: 0
  containers:
  - {name: nginx, image: nginx, imagePullPolicy: IfNotPresent}`, h.NodeName))
	}
	r.Kubectl(t, "kubectl wait pod/far-beta pod/far-gamma --for=condition=Ready --timeout=90s")
	r.testPathOfAPacket(t, a, "client", b, "vxlan")
	r.testPathOfAPacket(t, a, "client", c, "route")
	r.Kubectl(t, "kubectl delete pod far-beta far-gamma --wait --timeout=60s")
	c.Leave(t, "--force")
}

// testPathOfAPacket looks at each hop from a pod to the one of another machine.
func (r *rig) testPathOfAPacket(t *testing.T, from *host, source string, to *host, by string) {
	t.Helper()
	target := "far-" + to.NodeName
	var pods [2]corev1.Pod
	for i, name := range []string{source, target} {
		if err := json.Unmarshal([]byte(r.Kubectl(t, "kubectl get -o json pod "+name)), &pods[i]); err != nil {
			t.Fatal(err)
		}
	}
	r.awaitWays(t, from, to)
	path := packetpath.Between(&pods[0], &pods[1], packetpath.Known{
		InTab: func(string) bool { return false }, Tunnelled: func(string) bool { return false }, Trace: r.ways(t),
	})
	if len(path.Hops) != 5 || !path.Arrives {
		t.Fatalf("from %s to %s: %+v", source, target, path)
	}
	eth, bridge, way, farBridge, farEth := path.Hops[0], path.Hops[1], path.Hops[2], path.Hops[3], path.Hops[4]
	same := func(what string, told, is any) {
		t.Helper()
		if told != is {
			t.Errorf("%s to %s, %s: told is %v, and it is %v", source, target, what, told, is)
		}
	}
	same("the pod's MTU", eth.MTU, r.mtuInside(t, source))
	same("the other pod's MTU", farEth.MTU, r.mtuInside(t, target))
	same("the bridge's MTU", bridge.MTU, from.link(t, from.routeTo(t, pods[0].Status.PodIP).Dev).MTU)
	same("the other bridge's MTU", farBridge.MTU, to.link(t, to.routeTo(t, pods[1].Status.PodIP).Dev).MTU)
	for _, h := range []*host{from, to} {
		for _, veth := range h.veths(t) {
			same("the MTU of "+veth.Name+" on "+h.NodeName, eth.MTU, veth.MTU)
		}
	}
	route := from.routeTo(t, pods[1].Status.PodIP)
	device := from.link(t, route.Dev)
	same("how it goes", way.By, by)
	same("whether it is VXLAN", way.By == "vxlan", device.Info.Kind == "vxlan")
	mtu := device.MTU
	for _, m := range route.Metrics {
		if m.MTU > 0 {
			mtu = min(mtu, m.MTU)
		}
	}
	same("the way's MTU", way.MTU, mtu)
	same("the other machine", way.Address, to.IP())
	if by == "route" {
		same("the next hop", way.Address, route.Gateway)
	} else if fdb := from.Must(t, "bridge", "fdb", "show", "dev", route.Dev); !strings.Contains(fdb, "dst "+way.Address+" ") {
		t.Errorf("the tunnel to %s does not end at %s:\n%s", target, way.Address, fdb)
	}
	if least := min(eth.MTU, way.MTU, farEth.MTU); path.MTU != least {
		t.Errorf("the whole path's MTU is told as %d, and is %d", path.MTU, least)
	}
}

// awaitWays waits until the cluster has heard of each machine's ways: a node that has just joined is asked for its steps a
// moment after it is Ready.
func (r *rig) awaitWays(t *testing.T, hosts ...*host) {
	t.Helper()
	heard := map[string]bool{}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		for _, s := range r.steps(t) {
			heard[s.Node] = heard[s.Node] || s.Kind == "network.ways"
		}
		if !slices.ContainsFunc(hosts, func(h *host) bool { return !heard[h.NodeName] }) {
			return
		}
	}
	t.Fatalf("of the ways of %s and %s the cluster has heard only from %v", hosts[0].NodeName, hosts[1].NodeName, heard)
}

// ways is what each machine said last of its ways.
func (r *rig) ways(t *testing.T) *trace.Bus {
	t.Helper()
	bus := trace.New()
	for _, s := range r.steps(t) {
		if s.Kind != "network.ways" {
			continue
		}
		var net wire.Net
		if err := json.Unmarshal(s.Details, &net); err != nil {
			t.Fatalf("%s: %v", s.Details, err)
		}
		bus.Add(trace.Step{Kind: testWays, Node: s.Node, Details: &net})
	}
	return bus
}

// mtuInside reads it in the container, as a program of the pod would.
func (r *rig) mtuInside(t *testing.T, pod string) int {
	t.Helper()
	mtu, err := strconv.Atoi(strings.TrimSpace(r.Kubectl(t, "kubectl exec "+pod+" -- cat /sys/class/net/eth0/mtu")))
	if err != nil {
		t.Fatal(err)
	}
	return mtu
}

// kernelRoute and kernelLink are what iproute2 says in JSON.
type kernelRoute struct {
	Dev     string
	Gateway string
	Metrics []struct{ MTU int }
}

type kernelLink struct {
	Name string `json:"ifname"`
	MTU  int
	Info struct {
		Kind string `json:"info_kind"`
	} `json:"linkinfo"`
}

func (h *host) routeTo(t *testing.T, ip string) kernelRoute {
	t.Helper()
	return asked[kernelRoute](t, h, "ip", "-json", "route", "get", ip)[0]
}

func (h *host) link(t *testing.T, name string) kernelLink {
	t.Helper()
	return asked[kernelLink](t, h, "ip", "-json", "-details", "link", "show", "dev", name)[0]
}

// veths are the machine's ends of its pods' pairs: those on a bridge.
func (h *host) veths(t *testing.T) []kernelLink {
	t.Helper()
	all := asked[kernelLink](t, h, "ip", "-json", "-details", "link", "show", "type", "bridge_slave")
	// iproute2 says {} for each link that is none.
	all = slices.DeleteFunc(all, func(l kernelLink) bool { return l.Name == "" })
	if len(all) == 0 {
		t.Errorf("%s has no pod's interface on its bridge", h.NodeName)
	}
	return all
}

func asked[T any](t *testing.T, h *host, line ...string) []T {
	t.Helper()
	var answer []T
	if out := h.Must(t, line...); json.Unmarshal([]byte(out), &answer) != nil || len(answer) == 0 {
		t.Fatalf("%v on %s: %s", line, h.NodeName, out)
	}
	return answer
}
