package cni

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/types"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/trusted"
)

// echo answers "hello" on a port of the namespace.
func echo(t *testing.T, ns *testnet.Namespace, address string) {
	t.Helper()
	l := ns.Listen(t, address)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "hello from "+c.RemoteAddr().(*net.TCPAddr).IP.String())
			_ = c.Close()
		}
	}()
}

func hello(ns *testnet.Namespace, address string) (string, error) {
	c, err := ns.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer c.Close()
	b, err := io.ReadAll(c)
	return string(b), err
}

func TestPodsOfANode(t *testing.T) {
	n := newNode(t, testnet.New(t).Host(t, "192.168.1.11/24"), "1.0.0")
	a, b := newPod(t, "a", nil), newPod(t, "b", nil)
	n.add(t, a)
	n.add(t, b)
	if got := n.held(t); !slices.Equal(got, []string{"10.244.1.2 a", "10.244.1.3 b"}) {
		t.Errorf("addresses in use: %q", got)
	}
	if out := a.MustExec(t, "ip", "link", "show", "eth0"); !strings.Contains(out, "mtu 1400") {
		t.Errorf("MTU: %s", out)
	}
	echo(t, b.Namespace, b.IP+":80")
	for _, from := range []*testnet.Namespace{a.Namespace, n.Namespace} {
		if got, err := hello(from, b.IP+":80"); err != nil || !strings.HasPrefix(got, "hello") {
			t.Errorf("%s to the pod: %q, %v", from.Name, got, err)
		}
	}
	// To the host's own address, through the default route.
	echo(t, n.Namespace, n.IP()+":81")
	if got, err := hello(a.Namespace, n.IP()+":81"); err != nil || got != "hello from "+a.IP {
		t.Errorf("pod to host: %q, %v", got, err)
	}

	if err := n.check(a); err != nil {
		t.Errorf("CHECK: %v", err)
	}
	a.MustExec(t, "ip", "addr", "flush", "dev", "eth0")
	if err := n.check(a); err == nil {
		t.Error("CHECK of a pod that has lost its address found nothing")
	}
	n.del(t, a)
	n.del(t, a) // again, as runtimes do
	if got := n.held(t); !slices.Equal(got, []string{"10.244.1.3 b"}) {
		t.Errorf("addresses in use after DEL: %q", got)
	}

	e := n.told(t, "ADD", "bridge", "b")
	if e.Pod != "b" || e.Namespace != "default" || !slices.Equal(e.IPs, []string{b.IP + "/24"}) || e.Code != 0 || e.Duration <= 0 {
		t.Errorf("the event of ADD: %+v", e)
	}
	// What bridge was called with, and what it made: the bridge, the veth on it, and its other end in the pod.
	for _, part := range []string{`"bridge":"` + Bridge + `"`, `"type":"host-local"`} {
		if !strings.Contains(string(e.Stdin), part) {
			t.Errorf("there is no %s in the configuration %s", part, e.Stdin)
		}
	}
	for _, part := range []string{`"name":"` + Bridge + `"`, `"name":"veth`, `"name":"eth0"`, `"sandbox":"` + e.Netns + `"`, `"address":"` + b.IP} {
		if !strings.Contains(string(e.Stdout), part) {
			t.Errorf("there is no %s in the result %s", part, e.Stdout)
		}
	}
	// The one that is not called is given nothing, and hands on what it got.
	if e := n.told(t, "ADD", "portmap", "b"); !e.Idle || e.Stdin != nil || !strings.Contains(string(e.Stdout), b.IP) {
		t.Errorf("a pod without host ports called portmap: %+v", e)
	}
	n.told(t, "ADD", "bandwidth", "b")
	n.told(t, "DEL", "bridge", "a")
	if e := n.told(t, "CHECK", "bridge", "a"); e.Plugin != "bridge" {
		t.Errorf("the event of CHECK: %+v", e)
	}
}

func TestHostPort(t *testing.T) {
	net := testnet.New(t)
	n := newNode(t, net.Host(t, "192.168.1.11/24"), "1.0.0")
	other := net.Host(t, "192.168.1.12/24")
	p := newPod(t, "web", map[string]any{"portMappings": []map[string]any{{"hostPort": 8080, "containerPort": 80, "protocol": "tcp"}}})
	n.add(t, p)
	echo(t, p.Namespace, p.IP+":80")
	for name, from := range map[string]*testnet.Namespace{"another machine": other.Namespace, "the machine": n.Namespace, "the pod": p.Namespace} {
		if got, err := hello(from, n.IP()+":8080"); err != nil || !strings.HasPrefix(got, "hello") {
			t.Errorf("%s to the host's port: %q, %v", name, got, err)
		}
	}
	if err := n.check(p); err != nil {
		t.Errorf("CHECK: %v", err)
	}
	n.del(t, p)
	if _, err := hello(other.Namespace, n.IP()+":8080"); err == nil {
		t.Error("the host's port answers after DEL")
	}
	if out := n.MustExec(t, "iptables-save", "-t", "nat"); strings.Contains(out, "8080") {
		t.Errorf("rules are left after DEL:\n%s", out)
	}
}

func TestBandwidth(t *testing.T) {
	n := newNode(t, testnet.New(t).Host(t, "192.168.1.11/24"), "1.0.0")
	if out, err := n.Exec("ip", "link", "add", "ifbtest", "type", "ifb"); err != nil {
		t.Skipf("this kernel has no ifb: %s", out)
	}
	p := newPod(t, "slow", map[string]any{"bandwidth": map[string]int{"ingressRate": 8_000_000, "ingressBurst": 80_000, "egressRate": 8_000_000, "egressBurst": 80_000}})
	n.add(t, p)
	if out := n.MustExec(t, "tc", "qdisc"); strings.Count(out, "tbf") != 2 {
		t.Errorf("no limits:\n%s", out)
	}
	n.del(t, p)
	if out := n.MustExec(t, "ip", "-br", "link"); strings.Contains(out, "bwp") {
		t.Errorf("interfaces are left:\n%s", out)
	}
}

// What version 1.1 of the specification has, proven with libcni: no runtime of today's Debian
// calls it, and none of its plugins has it.
func TestStatusAndGC(t *testing.T) {
	n := newNode(t, testnet.New(t).Host(t, "192.168.1.11/24"), "1.1.0")
	ctx := t.Context()
	a, b := newPod(t, "a", nil), newPod(t, "b", nil)
	n.add(t, a)
	n.add(t, b)
	if err := n.check(a); err != nil {
		t.Errorf("CHECK: %v", err)
	}
	if err := n.runtime.GetStatusNetworkList(ctx, n.list); err != nil {
		t.Errorf("STATUS: %v", err)
	}
	// host-local goes away: code 50, plugin not available.
	if err := os.Remove(filepath.Join(n.BinDir(), "host-local")); err != nil {
		t.Fatal(err)
	}
	alone := libcni.NewCNIConfigWithCacheDir([]string{n.BinDir()}, n.options.CacheDir, nil)
	var failed *types.Error
	if err := alone.GetStatusNetworkList(ctx, n.list); !errors.As(err, &failed) || failed.Code != types.ErrPluginNotAvailable {
		t.Errorf("STATUS without host-local: %v", err)
	}

	// The runtime has forgotten b: nothing but the address is left.
	if err := errors.Join(os.RemoveAll(filepath.Join(n.options.CacheDir, "results", "tabernetes-b-eth0"))); err != nil {
		t.Fatal(err)
	}
	c := newPod(t, "c", nil)
	n.add(t, c)
	var err error
	n.Do(func() {
		err = n.runtime.GCNetworkList(ctx, n.list, &libcni.GCArgs{ValidAttachments: []types.GCAttachment{{ContainerID: "a", IfName: "eth0"}}})
	})
	if err != nil {
		t.Fatalf("GC: %v", err)
	}
	if got := n.held(t); !slices.Equal(got, []string{"10.244.1.2 a"}) {
		t.Errorf("addresses in use after GC: %q", got)
	}
	n.told(t, "GC", "bridge", "")
	n.told(t, "STATUS", "portmap", "")
	n.told(t, "DEL", "bridge", "c")
}

// What containerd 1.6 never does is done by the agent.
func TestLeakedAddressesAreReleased(t *testing.T) {
	n := newNode(t, testnet.New(t).Host(t, "192.168.1.11/24"), "1.0.0")
	a := newPod(t, "a", nil)
	b := newPod(t, "b", map[string]any{"portMappings": []map[string]any{{"hostPort": 8080, "containerPort": 80, "protocol": "tcp"}}})
	c := newPod(t, "c", nil)
	for _, p := range []*pod{a, b, c} {
		n.add(t, p)
	}
	// b died with its machine: nobody called DEL. c's answer was lost, too.
	if err := os.Remove(filepath.Join(n.options.CacheDir, "results", "tabernetes-c-eth0")); err != nil {
		t.Fatal(err)
	}
	n.mu.Lock()
	n.valid = []string{"a"}
	n.mu.Unlock()
	var err error
	n.Do(func() { err = n.Collect(t.Context()) })
	if err != nil {
		t.Fatal(err)
	}
	if got := n.held(t); !slices.Equal(got, []string{"10.244.1.2 a"}) {
		t.Errorf("addresses in use: %q", got)
	}
	if out := n.MustExec(t, "iptables-save", "-t", "nat"); strings.Contains(out, "8080") {
		t.Errorf("rules of the pod that is gone:\n%s", out)
	}
	if err := n.check(a); err != nil {
		t.Errorf("CHECK of the one that is there: %v", err)
	}
}

func TestErrorsAreCNIs(t *testing.T) {
	n := newNode(t, testnet.New(t).Host(t, "192.168.1.11/24"), "1.0.0")
	good, err := n.options.conflist(t.Context(), "1.0.0")
	if err != nil || len(good) == 0 {
		t.Fatal(err)
	}
	call := func(stdin string, env ...string) string {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), "CNI_COMMAND=ADD", "CNI_CONTAINERID=x", "CNI_NETNS=/nowhere", "CNI_IFNAME=eth0", "CNI_PATH="+n.BinDir())
		cmd.Env = append(cmd.Env, env...)
		cmd.Stdin = strings.NewReader(stdin)
		var out []byte
		var err error
		n.Do(func() { out, err = cmd.Output() })
		if err == nil {
			t.Errorf("%s went well", stdin)
		}
		return string(out)
	}
	for _, c := range []struct {
		what, stdin string
		env         []string
		code, text  string
	}{
		{"no JSON", `{"cniVersion"`, nil, `"code": 6`, ""},
		{"no delegate", `{"cniVersion":"1.0.0","name":"x","type":"tabernetes"}`, nil, `"code": 7`, "delegate.type"},
		{"unknown version", `{"cniVersion":"9.0.0","name":"x","type":"tabernetes","delegate":{"type":"bridge"}}`, nil, `"code": 1`, ""},
		{"no container", `{"cniVersion":"1.0.0","name":"x","type":"tabernetes"}`, []string{"CNI_CONTAINERID="}, `"code": 4`, "CNI_CONTAINERID"},
		{"delegate missing", `{"cniVersion":"1.0.0","name":"x","type":"tabernetes","delegate":{"type":"nothing"}}`, nil, `"code": 999`, "nothing"},
		{"no such namespace", `{"cniVersion":"1.0.0","name":"x","type":"tabernetes","delegate":{"type":"bridge","ipam":{}}}`, nil, `"code"`, "bridge: failed to open netns"},
	} {
		if out := call(c.stdin, c.env...); !strings.Contains(out, c.code) || !strings.Contains(out, c.text) {
			t.Errorf("%s: want %s and %q in %s", c.what, c.code, c.text, out)
		}
	}
}

func TestNothingIsLeft(t *testing.T) {
	n := newNode(t, testnet.New(t).Host(t, "192.168.1.11/24"), "1.0.0")
	ports := map[string]any{"portMappings": []map[string]any{{"hostPort": 8080, "containerPort": 80, "protocol": "tcp"}}}
	n.add(t, newPod(t, "a", ports)) // nobody calls DEL
	var left []string
	look := func() {
		n.Do(func() {
			var err error
			if left, err = Inventory(n.options); err != nil {
				t.Error(err)
			}
		})
	}
	look()
	kinds := strings.Join(left, "\n")
	for _, want := range []string{"interface tab-br0", "interface veth", "iptables rules of portmap", "net.d/05-tabernetes.conflist", "events.sock", "/addresses", "/bin", "results/tabernetes-a-eth0"} {
		if !strings.Contains(kinds, want) {
			t.Errorf("%s is not in the inventory:\n%s", want, kinds)
		}
	}
	n.Do(func() {
		if err := Remove(n.options); err != nil {
			t.Error(err)
		}
	})
	if look(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if out := n.MustExec(t, "ip", "-br", "link"); strings.Contains(out, "veth") || strings.Contains(out, Bridge) {
		t.Errorf("interfaces are left:\n%s", out)
	}
	if out := n.MustExec(t, "iptables-save"); strings.Contains(out, "CNI-") {
		t.Errorf("rules are left:\n%s", out)
	}
}

// The rules for host ports of another network stay, and the chains that they are in.
func TestHostPortsOfOthersStay(t *testing.T) {
	saved := `*nat
:PREROUTING ACCEPT [0:0]
:CNI-DN-ours - [0:0]
:CNI-DN-theirs - [0:0]
:CNI-HOSTPORT-DNAT - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \"tabernetes\" id: \"web\"" -m multiport --dports 8080 -j CNI-DN-ours
-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \"podman\" id: \"x\"" -m multiport --dports 9090 -j CNI-DN-theirs
COMMIT
`
	want := `*nat
-D CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \"tabernetes\" id: \"web\"" -m multiport --dports 8080 -j CNI-DN-ours
-F CNI-DN-ours
COMMIT
*nat
-X CNI-DN-ours
COMMIT
`
	if got := strings.Join(hostPortRules(saved), ""); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := hostPortRules("*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n"); len(got) > 0 {
		t.Errorf("of nothing: %q", got)
	}
}

func TestExistingNetwork(t *testing.T) {
	dir := t.TempDir()
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	if _, err := New(Options{Existing: dir, Log: log}); err != nil || !strings.Contains(said.String(), "no CNI configuration yet") {
		t.Errorf("a network that is yet to come: %v, said %q", err, said.String())
	}
	if err := os.WriteFile(filepath.Join(dir, "10-theirs.conflist"), []byte(`{"cniVersion":"1.0.0","name":"theirs","plugins":[{"type":"ptp"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Existing: dir, Dir: t.TempDir(), PodCIDRs: []netip.Prefix{netip.MustParsePrefix("10.244.1.0/24")}}
	n, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if n.ConfDir() != dir || slices.Contains(n.BinDirs(), filepath.Join(o.Dir, "bin")) {
		t.Errorf("%s, %s", n.ConfDir(), n.BinDirs())
	}
	if err := Remove(o); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "10-theirs.conflist")); err != nil {
		t.Error("somebody else's configuration was removed")
	}
	_ = plugin.Type
}

// The runtime runs what is in BinDir as root: a program that others can change does not come there.
func TestAPlantedPlugin(t *testing.T) {
	for _, name := range []string{"tabernetes", "bridge"} {
		dir := t.TempDir()
		program := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(program, []byte("mark"), 0o755), os.Chmod(program, 0o757)); err != nil {
			t.Fatal(err)
		}
		o := Options{Dir: t.TempDir(), PluginDirs: []string{"/nowhere"}, PodCIDRs: []netip.Prefix{netip.MustParsePrefix("10.244.1.0/24")}}
		if name == "bridge" {
			o.PluginDirs = []string{dir}
		} else {
			o.Program = program
		}
		n, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Run(t.Context()); !errors.Is(err, trusted.ErrOthers) {
			t.Errorf("%s: %v, want %v", name, err, trusted.ErrOthers)
		}
		if _, err := os.Lstat(filepath.Join(n.BinDir(), name)); err == nil {
			t.Errorf("%s is where the runtime looks", name)
		}
	}
}
