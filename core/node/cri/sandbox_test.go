package cri

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func (f *fixture) sandboxStatus(id string) *runtimeapi.PodSandboxStatus {
	f.t.Helper()
	resp, err := f.PodSandboxStatus(f.t.Context(), id, true)
	if err != nil {
		f.t.Fatalf("status of sandbox: %v", err)
	}
	return resp.Status
}

func TestSandboxLifecycle(t *testing.T) {
	f := newFixture(t)
	id, config := f.pod()
	st := f.sandboxStatus(id)
	if st.State != runtimeapi.PodSandboxState_SANDBOX_READY || st.Network.Ip != "10.244.1.2" || st.CreatedAt == 0 ||
		st.Metadata.Uid != config.Metadata.Uid || st.Annotations["note"] != "n1" {
		t.Errorf("ready: %+v", st)
	}
	if _, err := f.RunPodSandbox(t.Context(), config, ""); err == nil || !strings.Contains(err.Error(), "is reserved for") {
		t.Errorf("the same sandbox twice: %v", err)
	}
	main := f.create(id, config, f.containerConfig("main", "forever"))
	if err := f.StartContainer(t.Context(), main); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.StopPodSandbox(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	st = f.sandboxStatus(id)
	if st.State != runtimeapi.PodSandboxState_SANDBOX_NOTREADY || st.Network.Ip != "" {
		t.Errorf("stopped: %+v", st)
	}
	if c := f.status(main); c.State != exited || c.ExitCode != 137 {
		t.Errorf("its container: %+v", c)
	}
	if f.cni.InUse() != 0 {
		t.Error("its IP is still in use")
	}
	for range 2 {
		if err := f.RemovePodSandbox(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.PodSandboxStatus(t.Context(), id, false)
	wantCode(t, "status after removal", err, codes.NotFound)
	_, err = f.ContainerStatus(t.Context(), main, false)
	wantCode(t, "its container after removal", err, codes.NotFound)
	if err := f.StopPodSandbox(t.Context(), id); err != nil {
		t.Errorf("stop after removal: %v", err)
	}
	for _, dir := range []string{f.sandboxesDir(), f.containersDir()} {
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s has %v left", dir, left)
		}
	}
	// The same pod again, with the next IP.
	again, err := f.RunPodSandbox(t.Context(), config, "")
	if err != nil {
		t.Fatal(err)
	}
	if ip := f.sandboxStatus(again).Network.Ip; ip != "10.244.1.3" {
		t.Errorf("the IP %s was given again at once", ip)
	}
}

func TestRemoveSandboxWithRunningContainers(t *testing.T) {
	f := newFixture(t)
	id, config := f.pod()
	for _, name := range []string{"a", "b", "c"} {
		c := f.create(id, config, f.containerConfig(name, "forever"))
		if name != "c" {
			if err := f.StartContainer(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.RemovePodSandbox(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if list, _ := f.ListContainers(t.Context(), nil); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

func TestNoPodCIDR(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.PodCIDR = "" })
	network := func() *runtimeapi.RuntimeCondition {
		resp, err := f.Runtime.Status(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		if c := resp.Status.Conditions[0]; c.Type != runtimeapi.RuntimeReady || !c.Status {
			t.Errorf("condition %+v", c)
		}
		return resp.Status.Conditions[1]
	}
	if c := network(); c.Type != runtimeapi.NetworkReady || c.Status || c.Reason != "NetworkPluginNotReady" {
		t.Errorf("condition %+v", c)
	}
	config := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "p", Uid: "u"}}
	if _, err := f.RunPodSandbox(t.Context(), config, ""); err == nil {
		t.Error("a pod runs without a network")
	}
	// Pods on the host network need none.
	host, _ := f.pod(func(c *runtimeapi.PodSandboxConfig) {
		c.Linux = &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtimeapi.NamespaceOption{Network: runtimeapi.NamespaceMode_NODE}}}
	})
	if st := f.sandboxStatus(host); st.Network.Ip != "" || st.Linux.Namespaces.Options.Network != runtimeapi.NamespaceMode_NODE {
		t.Errorf("host network: %+v", st)
	}
	err := f.UpdateRuntimeConfig(t.Context(), &runtimeapi.RuntimeConfig{NetworkConfig: &runtimeapi.NetworkConfig{PodCidr: "10.244.9.0/24"}})
	if err != nil {
		t.Fatal(err)
	}
	if c := network(); !c.Status {
		t.Errorf("condition %+v", c)
	}
	id, err := f.RunPodSandbox(t.Context(), config, "")
	if err != nil {
		t.Fatal(err)
	}
	if ip := f.sandboxStatus(id).Network.Ip; ip != "10.244.9.2" {
		t.Errorf("IP %s", ip)
	}
}

func TestListPodSandbox(t *testing.T) {
	f := newFixture(t)
	a, _ := f.pod()
	b, _ := f.pod()
	if err := f.StopPodSandbox(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	ready := &runtimeapi.PodSandboxStateValue{State: runtimeapi.PodSandboxState_SANDBOX_READY}
	for i, q := range []struct {
		filter *runtimeapi.PodSandboxFilter
		want   []string
	}{
		{nil, []string{a, b}},
		{&runtimeapi.PodSandboxFilter{State: ready}, []string{b}},
		{&runtimeapi.PodSandboxFilter{LabelSelector: map[string]string{"tier": "test", "app": "pod1"}}, []string{a}},
		{&runtimeapi.PodSandboxFilter{Id: b}, []string{b}},
	} {
		list, err := f.ListPodSandbox(t.Context(), q.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			got = append(got, s.Id)
		}
		if fmt.Sprint(got) != fmt.Sprint(q.want) {
			t.Errorf("query %d: %v, want %v", i, got, q.want)
		}
	}
}

func TestRuntimeHandlers(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.RuntimeHandlers = []string{"sandboxed"} })
	config := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "p", Uid: "u"}}
	if _, err := f.RunPodSandbox(t.Context(), config, "kata"); err == nil || !strings.Contains(err.Error(), `no runtime for "kata" is configured`) {
		t.Errorf("unknown handler: %v", err)
	}
	id, err := f.RunPodSandbox(t.Context(), config, "sandboxed")
	if err != nil {
		t.Fatal(err)
	}
	if h := f.sandboxStatus(id).RuntimeHandler; h != "sandboxed" {
		t.Errorf("handler %q", h)
	}
}

// A container's network is the pod's; it ends with the container, and the next one finds the
// port free.
func TestPodNetwork(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	serve := func(attempt uint32) string {
		config := f.containerConfig("web", "serve", ":8080")
		config.Metadata.Attempt = attempt
		id := f.create(sandbox, sc, config)
		if err := f.StartContainer(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		eventually.True(t, "listening", func() bool {
			out, _ := f.log(id, false)
			return strings.Contains(out, "listening on 10.244.1.2:8080")
		})
		return id
	}
	first := serve(0)
	c, err := net.Dial("tcp", "10.244.1.2:8080")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "hi")
	if data, _ := io.ReadAll(c); string(data) != `you said "hi"` {
		t.Errorf("answer %q", data)
	}
	c.Close()
	stats, err := f.PodSandboxStats(t.Context(), sandbox)
	if err != nil {
		t.Fatal(err)
	}
	if eth := stats.Linux.Network.DefaultInterface; eth.RxBytes.Value != 2 || eth.TxBytes.Value != uint64(len(`you said "hi"`)) {
		t.Errorf("traffic: %+v", eth)
	}
	if n := stats.Linux.Process.ProcessCount.Value; n != 2 { // with pause
		t.Errorf("%d processes", n)
	}
	if err := f.StopContainer(t.Context(), first, 0); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", "10.244.1.2:8080"); err == nil {
		c.Close()
		t.Error("the port outlives the container")
	}
	serve(1)
}

// Containers that share the pod's processes are not number 1, and see each other.
func TestSharedProcesses(t *testing.T) {
	f := newFixture(t)
	pod := func(c *runtimeapi.PodSandboxConfig) {
		c.Linux = &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtimeapi.NamespaceOption{Pid: runtimeapi.NamespaceMode_POD}}}
	}
	sandbox, sc := f.pod(pod)
	config := f.containerConfig("a", "term", "0")
	config.Linux = &runtimeapi.LinuxContainerConfig{SecurityContext: &runtimeapi.LinuxContainerSecurityContext{
		NamespaceOptions: &runtimeapi.NamespaceOption{Pid: runtimeapi.NamespaceMode_POD}}}
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s, _ := f.sandbox(sandbox)
	eventually.True(t, "two processes", func() bool { return len(s.processes.List()) == 2 })
	list := s.processes.List()
	if list[0].PID != 1 || list[0].Args[0] != "/pause" || list[1].Args[0] != "term" {
		t.Errorf("processes: %+v", list)
	}
	if err := f.StopContainer(t.Context(), id, 10); err != nil {
		t.Fatal(err)
	}
	if st := f.status(id); st.ExitCode != 0 {
		t.Errorf("status: %+v", st)
	}
	if err := f.RemovePodSandbox(t.Context(), sandbox); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "no process", func() bool { return len(s.processes.List()) == 0 })
}

func TestHostPort(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod(func(c *runtimeapi.PodSandboxConfig) {
		c.PortMappings = []*runtimeapi.PortMapping{{ContainerPort: 8080, HostPort: 30080}, {ContainerPort: 8080}}
	})
	id := f.create(sandbox, sc, f.containerConfig("web", "serve", ":8080"))
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "listening", func() bool { out, _ := f.log(id, false); return strings.Contains(out, "listening") })
	c, err := net.Dial("tcp", "172.30.0.11:30080")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "hi")
	if data, _ := io.ReadAll(c); string(data) != `you said "hi"` {
		t.Errorf("answer %q", data)
	}
	c.Close()
	config := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "p", Uid: "u"}, PortMappings: sc.PortMappings}
	if _, err := f.RunPodSandbox(t.Context(), config, ""); err == nil {
		t.Error("a host port is given twice")
	}
	if err := f.StopPodSandbox(t.Context(), sandbox); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", "172.30.0.11:30080"); err == nil {
		c.Close()
		t.Error("the host port outlives the pod")
	}
	if _, err := f.RunPodSandbox(t.Context(), config, ""); err != nil {
		t.Errorf("after the pod that had it: %v", err)
	}
}

// TestTheNodesCNIConfiguration: a pod's network is what the node's file says, a broken one makes the network not
// ready with libcni's reason, and a sandbox that was made before ends all the same.
func TestTheNodesCNIConfiguration(t *testing.T) {
	root := t.TempDir()
	f := newFixture(t, func(o *Options) { o.NodeRoot, o.RootDir = root, filepath.Join(root, "var/lib/containerd") })
	conf := filepath.Join(root, "etc/cni/net.d/10-tabernetes.conflist")
	network := func() *runtimeapi.RuntimeCondition {
		resp, err := f.Runtime.Status(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		return resp.Status.Conditions[1]
	}
	if c := network(); !c.Status {
		t.Fatalf("condition %+v", c)
	}
	id, _ := f.pod()
	if got, err := os.ReadFile(filepath.Join(root, "var/lib/cni/networks/tabernetes/10.244.1.2")); err != nil || string(got) != id+"\r\neth0" {
		t.Errorf("the lease says %q, %v", got, err)
	}
	good, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"name": "x", "plugins": [`)
	if c := network(); c.Status || c.Reason != "NetworkPluginNotReady" || !strings.HasPrefix(c.Message, "Network plugin returns error: cni plugin not initialized: failed to load CNI config list file /etc/cni/net.d/10-tabernetes.conflist: error parsing configuration list") {
		t.Errorf("condition %+v", c)
	}
	config := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "p", Uid: "u"}}
	if _, err := f.RunPodSandbox(t.Context(), config, ""); err == nil || !strings.Contains(err.Error(), "error parsing configuration list") {
		t.Errorf("a pod's sandbox: %v", err)
	}
	if err := f.RemovePodSandbox(t.Context(), id); err != nil {
		t.Error(err)
	}
	if f.cni.InUse() != 0 {
		t.Error("its IP is still in use")
	}
	write(strings.ReplaceAll(string(good), "10.244.1.0/24", "10.244.1.128/25"))
	if c := network(); !c.Status {
		t.Errorf("condition %+v", c)
	}
	again, err := f.RunPodSandbox(t.Context(), config, "")
	if err != nil {
		t.Fatal(err)
	}
	if ip := f.sandboxStatus(again).Network.Ip; ip != "10.244.1.130" {
		t.Errorf("its IP is %s", ip)
	}
}
