package cni

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// kernel is a Namespace that remembers.
type kernel struct {
	links map[string][]netip.Addr
	ports []PortMapping
	fail  error
}

func (k *kernel) AddLink(name string, ips []netip.Addr) error {
	if k.fail != nil {
		return k.fail
	}
	k.links[name] = ips
	return nil
}
func (k *kernel) Links() map[string][]netip.Addr { return k.links }
func (k *kernel) DelLink(name string)            { delete(k.links, name) }
func (k *kernel) MapPort(m PortMapping) error    { k.ports = append(k.ports, m); return nil }
func (k *kernel) UnmapPorts()                    { k.ports = nil }

type fixture struct {
	*testing.T
	*Network
	root string
	bus  *trace.Bus
	mu   sync.Mutex
	made map[string]*kernel
}

func newFixture(t *testing.T, cidr string) *fixture {
	f := &fixture{T: t, root: t.TempDir(), bus: trace.New(), made: map[string]*kernel{}}
	f.start(cidr)
	return f
}

// start has a node begin with what is on its disk.
func (f *fixture) start(cidr string) {
	f.Helper()
	n, err := New(Options{Root: program.NewFS(f.root), RootDir: f.root, Trace: f.bus, Node: "node-1", Namespace: func(path string) Namespace {
		f.mu.Lock()
		defer f.mu.Unlock()
		if k := f.made[path]; k != nil {
			return k
		}
		return nil
	}})
	if err == nil && cidr != "" {
		err = n.Configure(cidr)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Network = n
}

func (f *fixture) pod(name string, ports ...PortMapping) Pod {
	p := Pod{Sandbox: name, Netns: "/var/run/netns/" + name, Namespace: "default", Name: name, UID: "uid-" + name, Ports: ports}
	f.mu.Lock()
	f.made[p.Netns] = &kernel{links: map[string][]netip.Addr{}}
	f.mu.Unlock()
	return p
}

func (f *fixture) add(name string, ports ...PortMapping) string {
	f.Helper()
	a, err := f.Add(f.Context(), f.pod(name, ports...))
	if err != nil {
		f.Fatalf("ADD for %s: %v", name, err)
	}
	return fmt.Sprint(a.IPs)
}

func (f *fixture) del(name string) {
	f.Helper()
	if err := f.Del(f.Context(), name, "/var/run/netns/"+name); err != nil {
		f.Fatalf("DEL for %s: %v", name, err)
	}
}

func (f *fixture) write(name, text string) {
	f.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(f.root, name)), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.root, name), []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) text(name string) string {
	f.Helper()
	b, err := os.ReadFile(filepath.Join(f.root, name))
	if err != nil {
		f.Fatal(err)
	}
	return string(b)
}

func (f *fixture) configure(text string) {
	f.Helper()
	if err := os.RemoveAll(filepath.Join(f.root, ConfDir)); err != nil {
		f.Fatal(err)
	}
	f.write(ConfDir+"/10-x.conflist", text)
}
