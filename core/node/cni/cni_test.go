package cni

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/node/cnitrace"
	"github.com/tabernetes/tabernetes/core/trace"
)

// TestTheDefaultChain: addresses one after the other, files as host-local writes them, all given back.
func TestTheDefaultChain(t *testing.T) {
	f := newFixture(t, "10.244.1.0/29")
	if err := f.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := 2; i <= 6; i++ {
		if got, want := f.add(fmt.Sprint("p", i)), fmt.Sprintf("[10.244.1.%d]", i); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := f.text("/var/lib/cni/networks/tabernetes/10.244.1.3"); got != "p3\r\neth0" {
		t.Errorf("the lease says %q", got)
	}
	if got := f.text("/var/lib/cni/networks/tabernetes/last_reserved_ip.0"); got != "10.244.1.6" {
		t.Errorf("the last is %q", got)
	}
	_, err := f.Add(t.Context(), f.pod("p7"))
	want := `plugin type="bridge" failed (add): failed to allocate for range 0: no IP addresses available in range set: 10.244.1.1-10.244.1.6`
	if err == nil || err.Error() != want {
		t.Errorf("of an exhausted range:\n%v, want\n%s", err, want)
	}
	f.del("p4")
	f.del("p2")
	f.del("p2") // may be repeated
	if got := f.add("again"); got != "[10.244.1.2]" {
		t.Errorf("after the last comes the first that is free, got %s", got)
	}
	for _, name := range []string{"again", "p3", "p5", "p6"} {
		f.del(name)
	}
	if got := f.InUse(); got != 0 {
		t.Errorf("%d are in use", got)
	}
	if left, _ := os.ReadDir(filepath.Join(f.root, "/var/lib/cni/results")); len(left) != 0 {
		t.Errorf("libcni's cache has %v", left)
	}
}

// TestAddressesRest: one that was given back is given again after the whole range was.
func TestAddressesRest(t *testing.T) {
	f := newFixture(t, "10.244.2.0/27, fd00:10:244:2::/64")
	seen := map[string]bool{}
	for i := range 29 {
		ips := f.add(fmt.Sprint("p", i))
		if seen[ips] {
			t.Fatalf("%s came back after %d", ips, i)
		}
		seen[ips] = true
		f.del(fmt.Sprint("p", i))
	}
	if got := f.add("again"); got != "[10.244.2.2 fd00:10:244:2::1f]" {
		t.Errorf("got %s", got)
	}
}

// guides is the configuration of the guide, with the rest of its JSON and a range of the node's.
const guides = `{
  "cniVersion": "0.3.1", "name": "bridge", "type": "bridge", "bridge": "cnio0", "isGateway": true, "ipMasq": true,
  "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.1.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}
}`

func TestTheGuidesFile(t *testing.T) {
	f := newFixture(t, "")
	f.write(ConfDir+"/10-bridge.conf", guides)
	if err := f.Configure("10.244.1.0/24"); err != nil {
		t.Fatal(err)
	}
	if err := f.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := f.add("web"); got != "[10.244.1.2]" {
		t.Error(got)
	}
	if entries, _ := os.ReadDir(filepath.Join(f.root, ConfDir)); len(entries) != 1 {
		t.Errorf("another configuration was written beside it: %v", entries)
	}
	for _, want := range []string{`"name":"cnio0"`, `"mac":"0a:58:0a:f4:01:01"`, `"sandbox":"/var/run/netns/web"`, `"gateway":"10.244.1.1"`, `"K8S_POD_NAME","web"`} {
		if got := f.text("/var/lib/cni/results/bridge-web-eth0"); !strings.Contains(got, want) {
			t.Errorf("no %s in libcni's cache: %s", want, got)
		}
	}
	f.text("/var/lib/cni/networks/bridge/10.244.1.2")
	f.del("web")
}

// TestStatus: what is wrong with a node's configuration, in libcni's words.
func TestStatus(t *testing.T) {
	const ipam = `"ipam":{"type":"host-local","ranges":[[{"subnet":"10.244.1.0/24"}]]}`
	for name, c := range map[string]struct {
		text, want string
		remove     string
	}{
		"none":            {want: "no network config found in /etc/cni/net.d", remove: ConfDir},
		"no JSON":         {text: `{"name": "x", plugins`, want: "/etc/cni/net.d/10-x.conflist: error parsing configuration list: invalid character 'p'"},
		"no name":         {text: `{"plugins":[{"type":"bridge"}]}`, want: "error parsing configuration list: no name"},
		"no plugins":      {text: `{"name":"x","plugins":[]}`, want: "no plugins in list"},
		"no type":         {text: `{"name":"x","plugins":[{}]}`, want: "missing 'type'"},
		"unknown plugin":  {text: `{"cniVersion":"1.0.0","name":"x","plugins":[{"type":"calico"}]}`, want: `failed to find plugin "calico" in path [/opt/cni/bin]`},
		"a path":          {text: `{"cniVersion":"1.0.0","name":"x","plugins":[{"type":"../../sh"}]}`, want: "invalid plugin name: ../../sh"},
		"future version":  {text: `{"cniVersion":"7.0.0","name":"x","plugins":[{"type":"bridge",` + ipam + `}]}`, want: `plugin bridge does not support config version "7.0.0"`},
		"removed program": {want: `failed to find plugin "bridge" in path [/opt/cni/bin]`, remove: BinDir + "/bridge"},
		"too large":       {text: `{"name":"` + strings.Repeat("x", maxConf) + `"}`, want: "more than"},
		"STATUS":          {text: `{"cniVersion":"1.1.0","name":"x","plugins":[{"type":"bridge","ipam":{"type":"dhcp"}}]}`, want: `failed to find plugin "dhcp"`},
		"itself as IPAM":  {text: `{"cniVersion":"1.1.0","name":"x","plugins":[{"type":"bridge","ipam":{"type":"bridge"}}]}`, want: "delegate to each other"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "10.244.1.0/24")
			if c.text != "" {
				f.configure(c.text)
			}
			if c.remove != "" {
				if err := os.RemoveAll(filepath.Join(f.root, c.remove)); err != nil {
					t.Fatal(err)
				}
			}
			err := f.Status(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestBadConfigurations: those that libcni takes, and a plugin does not. Nothing is left of them.
func TestBadConfigurations(t *testing.T) {
	list := func(plugins string) string { return `{"cniVersion":"1.0.0","name":"x","plugins":[` + plugins + `]}` }
	local := func(rest string) string {
		return list(`{"type":"bridge","ipam":{"type":"host-local",` + rest + `}}`)
	}
	for name, c := range map[string]struct{ text, want string }{
		"another's range":  {local(`"ranges":[[{"subnet":"10.244.2.0/24"}]]`), "10.244.2.2 is not of this node's pod CIDR [10.244.1.0/24]"},
		"the API's":        {local(`"ranges":[[{"subnet":"10.96.0.0/30"}]]`), "is not of this node's pod CIDR"},
		"an endless range": {local(`"ranges":[[{"subnet":"fd00::/16"}]]`), "is not of this node's pod CIDR"},
		"no ranges":        {local(`"ranges":[]`), "no IP ranges specified"},
		"overlap":          {local(`"ranges":[[{"subnet":"10.244.1.0/24"}],[{"subnet":"10.244.1.0/25"}]]`), "overlaps with"},
		"half of two":      {local(`"ranges":[[{"subnet":"10.244.1.0/24"}],[{"subnet":"10.9.1.0/24"}]]`), "for range 1"},
		"VLAN":             {list(`{"type":"bridge","vlan":7,"ipam":{"type":"host-local"}}`), "bridge in the tab has no VLANs"},
		"no addresses":     {list(`{"type":"bridge"}`), "\"ipam\" is missing"},
		"portmap alone":    {list(`{"type":"portmap"}`), "must be called as chained plugin"},
		"a name with ..":   {strings.Replace(local(`"ranges":[[{"subnet":"10.244.1.0/24"}]]`), `"x"`, `"../../../x"`, 1), "invalid characters found in network name"},
		"IPAM by a path":   {list(`{"type":"bridge","ipam":{"type":"../bridge"}}`), "invalid plugin name"},
		"loopback alone":   {list(`{"type":"loopback"}`), "has no interface"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "10.244.1.0/24")
			f.configure(c.text)
			pod := f.pod("web")
			a, err := f.Add(t.Context(), pod)
			if err == nil && len(f.made[pod.Netns].links) == 0 {
				err = errors.New("has no interface") // who called finds that
				_ = a
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if len(f.made[pod.Netns].links) != 0 || f.InUse() != 0 {
				t.Errorf("left: %v, %d leases", f.made[pod.Netns].links, f.InUse())
			}
		})
	}
}

// TestAddFails: what was given is taken back if the kernel refuses.
func TestAddFails(t *testing.T) {
	f := newFixture(t, "10.244.1.0/24")
	pod := f.pod("web")
	f.made[pod.Netns].fail = errors.New("no memory")
	if _, err := f.Add(t.Context(), pod); err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Error(err)
	}
	if f.InUse() != 0 {
		t.Error("its address is still in use")
	}
	pod.Netns = "/var/run/netns/other"
	if _, err := f.Add(t.Context(), pod); err == nil || !strings.Contains(err.Error(), `failed to open netns "/var/run/netns/other"`) {
		t.Error(err)
	}
}

// TestPortsAndCheck: the capability comes to portmap, and CHECK sees what is missing.
func TestPortsAndCheck(t *testing.T) {
	f := newFixture(t, "10.244.1.0/24")
	want := PortMapping{HostPort: 8080, ContainerPort: 80, Protocol: "tcp"}
	f.add("web", want)
	k := f.made["/var/run/netns/web"]
	if !slices.Equal(k.ports, []PortMapping{want}) {
		t.Errorf("%v", k.ports)
	}
	pod := Pod{Sandbox: "web", Netns: "/var/run/netns/web", Namespace: "default", Name: "web"}
	if err := f.Check(t.Context(), pod); err != nil {
		t.Error(err)
	}
	links := k.links
	k.links = map[string][]netip.Addr{}
	if err := f.Check(t.Context(), pod); err == nil || !strings.Contains(err.Error(), `the interface "eth0"`) {
		t.Error(err)
	}
	k.links = links
	if err := os.Remove(filepath.Join(f.root, "/var/lib/cni/networks/tabernetes/10.244.1.2")); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(t.Context(), pod); err == nil || !strings.Contains(err.Error(), "Failed to find address") {
		t.Error(err)
	}
	f.del("web")
	if len(k.ports)+len(k.links) != 0 {
		t.Errorf("left: %v %v", k.ports, k.links)
	}
}

// TestDelByTheOldConfiguration: a pod's network ends as it was made, whatever the node's file says now.
func TestDelByTheOldConfiguration(t *testing.T) {
	f := newFixture(t, "10.244.1.0/24")
	f.add("web")
	f.configure("broken")
	f.del("web")
	if f.InUse() != 0 {
		t.Error("its address is still in use")
	}
}

// TestANodeThatComesBack: leases are there after the node's end, and those of nobody are given back.
func TestANodeThatComesBack(t *testing.T) {
	f := newFixture(t, "10.244.1.0/24")
	f.add("a")
	f.add("b")
	f.made = map[string]*kernel{} // power is lost
	f.start("")
	if err := f.Collect(t.Context(), []string{"b"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Configure("10.244.1.0/24"); err != nil {
		t.Fatal(err)
	}
	if f.InUse() != 1 {
		t.Errorf("%d are in use", f.InUse())
	}
	if got := f.add("c"); got != "[10.244.1.4]" {
		t.Errorf("got %s", got)
	}
	if err := f.Del(t.Context(), "b", ""); err != nil { // its namespace is gone
		t.Error(err)
	}
	if f.InUse() != 1 {
		t.Errorf("%d are in use", f.InUse())
	}
}

// TestGC: the plugin's own, of version 1.1.0, by what host-local keeps.
func TestGC(t *testing.T) {
	f := newFixture(t, "10.244.1.0/24")
	f.configure(strings.Replace(f.text(DefaultConf), "1.0.0", "1.1.0", 1))
	f.add("a")
	f.write("/var/lib/cni/networks/tabernetes/10.244.1.77", "gone\r\neth0")
	if err := f.Collect(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if f.InUse() != 1 {
		t.Errorf("%d are in use", f.InUse())
	}
}

// TestCallsAreTold: each call is a step with its JSON, host-local's below bridge's.
func TestCallsAreTold(t *testing.T) {
	f := newFixture(t, "10.244.1.0/24")
	if _, err := f.Add(trace.With(t.Context(), 5), f.pod("web")); err != nil {
		t.Fatal(err)
	}
	f.del("web")
	steps, _ := f.bus.All()
	ids := map[string]trace.Step{}
	var order []string
	for _, s := range steps {
		c := s.Details.(*cnitrace.Call)
		ids[c.Command+" "+c.Plugin] = s
		order = append(order, c.Command+" "+c.Plugin)
		if s.Object.Name != "web" || s.Object.UID != "uid-web" || s.Kind.Name != "cni.plugin" || s.Node != "node-1" {
			t.Errorf("%s", s.JSON(true))
		}
	}
	if want := []string{"ADD host-local", "ADD bridge", "ADD portmap", "DEL portmap", "DEL host-local", "DEL bridge"}; !slices.Equal(order, want) {
		t.Errorf("told %q", order)
	}
	bridge := ids["ADD bridge"]
	if bridge.Cause != 5 || ids["ADD host-local"].Cause != bridge.ID {
		t.Errorf("causes %d %d", bridge.Cause, ids["ADD host-local"].Cause)
	}
	c := bridge.Details.(*cnitrace.Call)
	if !slices.Equal(c.IPs, []string{"10.244.1.2/24"}) || !strings.Contains(string(c.Stdin), `"bridge":"cni0"`) || !strings.Contains(string(c.Stdout), "10.244.1.2/24") ||
		!strings.Contains(c.Args, "K8S_POD_NAMESPACE=default;K8S_POD_NAME=web") || c.Netns != "/var/run/netns/web" {
		t.Errorf("%+v", c)
	}
}
