package steps

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
	"github.com/tabernetes/tabernetes/nodehost/cri"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

const patience = 30 * time.Second

// listen has a cluster listen to a node that tells; every pod is the node's.
func listen(t *testing.T, teller *Teller) *trace.Viewer {
	t.Helper()
	bus := trace.New()
	view := bus.View(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		told.Follow(ctx, told.Options{
			Bus: bus, Node: "alpha", Retry: time.Millisecond,
			Dial: func(context.Context) (net.Conn, error) {
				near, far := net.Pipe()
				go teller.Serve(ctx, far)
				return near, nil
			},
			Pod: func(_ context.Context, namespace, name string) (*corev1.Pod, error) {
				return &corev1.Pod{
					ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-" + name)},
					Spec:       corev1.PodSpec{NodeName: "alpha"},
				}, nil
			},
		})
	}()
	t.Cleanup(func() { cancel(); <-ended; view.Close() })
	return view
}

func until(t *testing.T, view *trace.Viewer, kind string) (steps []trace.Step) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		batch, err := view.Next(ctx, 1)
		if err != nil {
			t.Fatalf("no %s among %v: %v", kind, steps, err)
		}
		steps = append(steps, batch.Steps...)
		if steps[len(steps)-1].Kind.Name == kind {
			return steps
		}
	}
}

func sandboxConfig(name string) *runtimeapi.PodSandboxConfig {
	return &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Namespace: "default", Name: name, Uid: "uid-" + name}}
}

// TestTheClusterIsTold: a pod's calls from end to end, without their secrets: those of its containers by
// what made them, those of a container from before by what the runtime has listed.
func TestTheClusterIsTold(t *testing.T) {
	var teller Teller
	view := listen(t, &teller)
	call := teller.Tap().Call
	began := time.Now()
	teller.Plugin(plugin.Event{Time: began, Command: "ADD", Plugin: "bridge", Container: "s", Namespace: "default", Pod: "web", UID: "uid-web", IPs: []string{"10.244.7.3/24"},
		Netns: "/var/run/netns/cni-s", Args: "K8S_POD_NAME=web;TOKEN=canary",
		Stdin:  []byte(`{"type":"bridge","bridge":"tab-br0","token":"canary","ipam":{"type":"host-local","login":{"password":"canary"}}}`),
		Stdout: []byte(`{"interfaces":[{"name":"tab-br0"},{"name":"veth1"},{"name":"eth0","sandbox":"/var/run/netns/cni-s"}],"other":["canary"]}`),
	})
	teller.Plugin(plugin.Event{Time: began, Command: "GC", Plugin: "bridge"})
	call(cri.Call{Method: "RunPodSandbox", Began: began, Request: &runtimeapi.RunPodSandboxRequest{Config: sandboxConfig("web")}, Response: &runtimeapi.RunPodSandboxResponse{PodSandboxId: "s"}})
	call(cri.Call{
		Method: "PullImage", Began: began, Err: errors.New("no such image"),
		Request: &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: "nginx"}, Auth: &runtimeapi.AuthConfig{Password: "canary"}, SandboxConfig: sandboxConfig("web")},
	})
	call(cri.Call{
		Method: "CreateContainer", Began: began, Response: &runtimeapi.CreateContainerResponse{ContainerId: "c"},
		Request: &runtimeapi.CreateContainerRequest{PodSandboxId: "s", SandboxConfig: sandboxConfig("web"), Config: &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "nginx"}, Command: []string{"canary"},
			Envs: []*runtimeapi.KeyValue{{Key: "PASSWORD", Value: []byte("canary")}},
		}},
	})
	call(cri.Call{Method: "StartContainer", Began: began, Request: &runtimeapi.StartContainerRequest{ContainerId: "c"}, Response: &runtimeapi.StartContainerResponse{}})
	call(cri.Call{Method: "StopContainer", Began: began, Request: &runtimeapi.StopContainerRequest{ContainerId: "of nobody"}})
	// By hand, of no pod: the cluster would not believe it.
	call(cri.Call{Method: "RunPodSandbox", Began: began, Request: &runtimeapi.RunPodSandboxRequest{Config: &runtimeapi.PodSandboxConfig{}}, Response: &runtimeapi.RunPodSandboxResponse{PodSandboxId: "h"}})
	call(cri.Call{Method: "CreateContainer", Began: began, Request: &runtimeapi.CreateContainerRequest{PodSandboxId: "h"}, Response: &runtimeapi.CreateContainerResponse{ContainerId: "i"}})
	teller.Known([]*runtimeapi.PodSandbox{{Id: "t", Metadata: &runtimeapi.PodSandboxMetadata{Namespace: "default", Name: "old", Uid: "uid-old"}}},
		[]*runtimeapi.Container{{Id: "d", Labels: map[string]string{podNamespace: "default", podName: "old", podUID: "uid-old"}}})
	call(cri.Call{Method: "ExecSync", Began: began, Request: &runtimeapi.ExecSyncRequest{ContainerId: "d", Cmd: []string{"canary"}}, Err: errors.New("canary exited")})
	call(cri.Call{Method: "RemovePodSandbox", Began: began, Request: &runtimeapi.RemovePodSandboxRequest{PodSandboxId: "t"}, Response: &runtimeapi.RemovePodSandboxResponse{}})

	var got []string
	steps := until(t, view, "cri.RemovePodSandbox")
	for _, s := range steps {
		got = append(got, s.Kind.Name+" "+s.Object.Name)
		if text := string(s.JSON(true)); !s.Told || s.Node != "alpha" || strings.Contains(text, "canary") || strings.Contains(text, "Y2FuYXJ5") {
			t.Errorf("%s", text)
		}
	}
	want := "cni.plugin web, cri.RunPodSandbox web, cri.PullImage web, cri.CreateContainer web, cri.StartContainer web, cri.ExecSync old, cri.RemovePodSandbox old"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	// What its network was made by, and is made of.
	text := string(steps[0].JSON(true))
	for _, part := range []string{`"netns":"/var/run/netns/cni-s"`, `K8S_POD_NAME=web`, `"bridge":"tab-br0"`, `"type":"host-local"`, `"name":"veth1"`} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %s in %s", part, text)
		}
	}
}

// TestNobodyWaitsForTheCluster: what is not fetched is bounded, the oldest goes, and it is said how many.
func TestNobodyWaitsForTheCluster(t *testing.T) {
	var teller Teller
	for i := range 3 * maxWaiting {
		teller.Plugin(plugin.Event{Time: time.Now(), Command: "ADD", Namespace: "default", Pod: fmt.Sprint("p", i), UID: fmt.Sprint("uid-p", i)})
	}
	teller.Plugin(plugin.Event{Time: time.Now(), Command: "DEL", Namespace: strings.Repeat("x", told.MaxLine), Pod: "big", UID: "uid-big"})
	if len(teller.waiting) > maxWaiting || teller.bytes > maxWaitingBytes {
		t.Fatalf("%d steps of %d bytes wait", len(teller.waiting), teller.bytes)
	}
	view := listen(t, &teller)
	steps := until(t, view, "node.missed")
	if text := string(steps[0].JSON(true)); !strings.Contains(text, fmt.Sprintf(`"steps":%d`, 2*maxWaiting+1)) {
		t.Error(text)
	}
	if first := until(t, view, "cni.plugin")[0]; first.Object.Name != fmt.Sprint("p", 2*maxWaiting) {
		t.Errorf("the first one left is %s", first.Object.Name)
	}
}

// TestTheLastConnectionIsTold: a cluster that dials again takes the place of the one before.
func TestTheLastConnectionIsTold(t *testing.T) {
	var teller Teller
	one, oneFar := net.Pipe()
	first := make(chan struct{})
	go func() { teller.Serve(t.Context(), oneFar); close(first) }()
	if _, err := one.Write([]byte{told.Ask}); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	two, twoFar := net.Pipe()
	go teller.Serve(t.Context(), twoFar)
	<-first
	if _, err := two.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Read(make([]byte, 1)); err == nil {
		t.Error("who asks for something else is told")
	}
}

// TestTheClusterIsToldOfWays: how the node announces itself, and the way to each other one with its reason.
func TestTheClusterIsToldOfWays(t *testing.T) {
	var teller Teller
	view := listen(t, &teller)
	peer := func(name, pods, ip, subnet string) ways.Peer {
		return ways.Peer{Name: name, PodCIDR: netip.MustParsePrefix(pods), Endpoint: ways.Endpoint{
			IP: netip.MustParseAddr(ip), Subnet: netip.MustParsePrefix(subnet), MTU: 1500, Mode: ways.Auto, Port: 8472,
		}}
	}
	self := peer("alpha", "10.244.1.0/24", "192.0.2.1", "192.0.2.0/24")
	var to []ways.Way
	for _, other := range []ways.Peer{
		peer("beta", "10.244.2.0/24", "192.0.2.2", "192.0.2.0/24"),
		peer("gamma", "10.244.3.0/24", "198.51.100.3", "198.51.100.0/24"),
		peer("delta", "10.244.1.0/24", "192.0.2.4", "192.0.2.0/24"),
	} {
		way := ways.Way{Peer: other, MTU: 1450}
		way.Path, way.Reason = ways.Decide(self, other)
		to = append(to, way)
	}
	teller.Ways(self, to)
	steps := until(t, view, "network.ways")
	s := steps[len(steps)-1]
	if !s.Told || s.Object.Resource != "nodes" || s.Object.Name != "alpha" || s.Component != "network" {
		t.Errorf("%s", s.JSON(true))
	}
	net := s.Details.(*told.Net)
	var got []string
	for _, w := range net.Ways {
		got = append(got, fmt.Sprint(w.Node, " ", w.By, " via ", w.Via, ": ", w.Why))
	}
	want := "beta route via 192.0.2.2: both are in 192.0.2.0/24; gamma vxlan via 198.51.100.3: they are in different subnets, 192.0.2.0/24 and 198.51.100.0/24; " +
		"delta none via : nodes alpha and delta both have pods in 10.244.1.0/24"
	if strings.Join(got, "; ") != want || net.Pods != "10.244.1.0/24" || net.MTU != 1500 || net.PodMTU != 1450 {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}
