package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/wasm/goroot"
)

// prepareSystem gives the Go program what it takes for its machine: addresses, those that core/cluster plans with.
func prepareSystem() error {
	addrs := []*net.IPNet{{IP: net.IPv4(127, 0, 0, 1).To4(), Mask: net.CIDRMask(8, 32)}}
	for _, a := range cluster.Addresses() {
		addrs = append(addrs, &net.IPNet{IP: a.AsSlice(), Mask: net.CIDRMask(16, 32)})
	}
	goroot.SetInterfaceAddrs(addrs)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the cluster's directory: %w", err)
	}
	return nil
}

// newTerminal makes the terminal's own small machine: a root directory with a home. before is told of each kubectl.
func newTerminal(c *cluster.Cluster, bus *trace.Bus, before func(args []string)) (*kubectl.Terminal, error) {
	root := filepath.Join(dir, "terminal")
	for _, d := range []string{"etc", "tmp", "root", "usr/bin"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return nil, fmt.Errorf("make the terminal's files: %w", err)
		}
	}
	for _, name := range []string{"etc/passwd", "etc/group", "etc/hosts", "etc/resolv.conf"} {
		b, err := os.ReadFile("/" + name)
		if err != nil {
			return nil, fmt.Errorf("make the terminal's files: %w", err)
		}
		if err := os.WriteFile(filepath.Join(root, name), b, 0o644); err != nil {
			return nil, fmt.Errorf("make the terminal's files: %w", err)
		}
	}
	up := c.Done(cluster.StepAPIServer)
	return kubectl.New(kubectl.Options{
		FS:     program.NewFS(root).Plain().On(nodefs.New(root, nodefs.Sized(terminalStorage), nil), nil),
		Net:    kubectl.HostNetwork{Laptop: c, Web: web{}},
		Trace:  bus,
		Nodes:  c,
		Before: before,
		RESTConfig: func() *rest.Config {
			select {
			case <-up:
				return c.AdminConfig()
			default:
				return nil
			}
		},
	})
}
