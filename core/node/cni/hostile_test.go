package cni

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

// TestHostileFiles: what a pod that may write to the node's disk puts where the runtime reads and writes.
func TestHostileFiles(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "10-x.conflist"), []byte(`{"name":"theirs"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		do   func(f *fixture) error
		want string
	}{
		"a configuration that is a link out of the node": {func(f *fixture) error {
			_ = os.RemoveAll(filepath.Join(f.root, ConfDir))
			return os.Symlink(outside, filepath.Join(f.root, ConfDir))
		}, "no network config found"},
		"a cache that is one": {func(f *fixture) error {
			_ = os.MkdirAll(filepath.Join(f.root, "/var/lib"), 0o755)
			return os.Symlink(outside, filepath.Join(f.root, DataDir))
		}, "/var/lib/cni is not a directory"},
		"a cached result that is one": {func(f *fixture) error {
			_ = os.MkdirAll(filepath.Join(f.root, DataDir, "results"), 0o755)
			return os.Symlink("/dev/zero", filepath.Join(f.root, DataDir, "results", "tabernetes-web-eth0"))
		}, "is none of libcni's files"},
		"a plugin without end": {func(f *fixture) error {
			return os.WriteFile(filepath.Join(f.root, BinDir, "bridge"), make([]byte, 1<<20), 0o755)
		}, "exec format error"},
		"a script as a plugin": {func(f *fixture) error {
			return os.WriteFile(filepath.Join(f.root, BinDir, "bridge"), []byte("#!/bin/sh\nreboot\n"), 0o755)
		}, "exec format error"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "10.244.1.0/24")
			if err := c.do(f); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Add(t.Context(), f.pod("web")); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if left, _ := os.ReadDir(outside); len(left) != 1 {
				t.Errorf("outside of the node there is %v", left)
			}
		})
	}
}

// TestManyAtOnce: nobody gets what another has.
func TestManyAtOnce(t *testing.T) {
	f := newFixture(t, "10.244.1.0/24")
	var wait sync.WaitGroup
	got := make([]string, 60)
	for i := range got {
		pod := f.pod(fmt.Sprint("p", i))
		wait.Go(func() {
			a, err := f.Add(context.WithoutCancel(t.Context()), pod)
			if err != nil {
				t.Error(err)
			}
			got[i] = fmt.Sprint(a.IPs)
		})
	}
	wait.Wait()
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != 60 {
		t.Errorf("%d addresses", n)
	}
}

// FuzzConfiguration: whatever a person or a pod writes there, an answer comes, and nothing is left.
func FuzzConfiguration(f *testing.F) {
	f.Add(guides)
	f.Add(`{"cniVersion":"1.1.0","name":"x","plugins":[{"type":"bridge","ipam":{"type":"host-local","ranges":[[{"subnet":"10.244.1.0/24"}]]}},{"type":"portmap","capabilities":{"portMappings":true}},{"type":"loopback"}]}`)
	f.Add(`{"cniVersions":["9"],"name":"../x","plugins":[null]}`)
	f.Fuzz(func(t *testing.T, text string) {
		fx := newFixture(t, "10.244.1.0/24")
		fx.configure(text)
		pod := fx.pod("web", PortMapping{HostPort: 80, ContainerPort: 80, Protocol: "udp"})
		_ = fx.Status(t.Context())
		if _, err := fx.Add(t.Context(), pod); err != nil && !json.Valid([]byte(text)) && fx.InUse() != 0 {
			t.Errorf("%d leases after %v", fx.InUse(), err)
		}
		_ = fx.Del(t.Context(), pod.Sandbox, pod.Netns)
	})
}

// BenchmarkAddDel is what a pod's network costs beside a hundred others.
func BenchmarkAddDel(b *testing.B) {
	root := b.TempDir()
	k := &kernel{links: map[string][]netip.Addr{}}
	n, err := New(Options{Root: program.NewFS(root), RootDir: root, Namespace: func(string) Namespace { return k }})
	if err == nil {
		err = n.Configure("10.244.0.0/16")
	}
	if err != nil {
		b.Fatal(err)
	}
	add := func(id string) {
		k.links = map[string][]netip.Addr{}
		if _, err := n.Add(b.Context(), Pod{Sandbox: id, Netns: "/n", Namespace: "default", Name: id}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 100 {
		add(fmt.Sprint("other", i))
	}
	for b.Loop() {
		add("web")
		if err := n.Del(b.Context(), "web", "/n"); err != nil {
			b.Fatal(err)
		}
	}
}
