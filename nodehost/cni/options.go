package cni

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
)

const (
	// Network is the network's name.
	Network = "tabernetes"
	// Bridge is the interface that the node's pods are on.
	Bridge = "tab-br0"
	// confFile sorts before what packages install.
	confFile = "05-tabernetes.conflist"
	// defaultCacheDir is libcni.CacheDir.
	defaultCacheDir = "/var/lib/cni"
)

// Options of the pods' interfaces on a node.
type Options struct {
	// Dir is the agent's own directory: plugin, addresses in use, socket for events.
	Dir string
	// ConfDir is where the configuration is written; only ours may be in it. Default Dir/net.d.
	ConfDir string
	// PodCIDRs are the node's, as in Node.spec.podCIDRs: one of each family.
	PodCIDRs []netip.Prefix
	// MTU of the pods' interfaces in bytes; 0 leaves the kernel's.
	MTU int
	// Existing is a configuration directory of somebody else's that is to be used in place of
	// all of this; Dir, PodCIDRs and MTU mean nothing then.
	Existing string
	// PluginDirs are where bridge, host-local, portmap, bandwidth and loopback are.
	// Default /opt/cni/bin, /usr/lib/cni, /usr/libexec/cni.
	PluginDirs []string
	// Program is what is called as the plugin: this program, or tabernetes-cni. Default: the
	// running program.
	Program string
	// RuntimeVersion is the newest version of the CNI specification that the container runtime
	// knows. Default 1.0.0, which every containerd from 1.6 on does.
	RuntimeVersion string
	// CacheDir is where the runtime keeps what it was answered. Default libcni's.
	CacheDir string
	// Valid lists the sandboxes that exist, as the runtime names them: what the plugin keeps for
	// others is released. Nil releases nothing.
	Valid func(context.Context) ([]string, error)
	// Event is told of each call of a plugin; it must not block.
	Event func(plugin.Event)
	Log   *slog.Logger
}

func (o Options) complete() (Options, error) {
	if o.PluginDirs == nil {
		o.PluginDirs = []string{"/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni"}
	}
	if o.CacheDir == "" {
		o.CacheDir = defaultCacheDir
	}
	if o.RuntimeVersion == "" {
		o.RuntimeVersion = "1.0.0"
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Event == nil {
		o.Event = func(plugin.Event) {}
	}
	if o.Existing != "" {
		o.ConfDir = o.Existing
		return o, nil
	}
	if o.Dir == "" || len(o.PodCIDRs) == 0 {
		return o, errors.New("pods' interfaces: a directory and the node's pod CIDR are needed")
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return o, fmt.Errorf("pods' interfaces: %w", err)
	}
	if o.ConfDir == "" {
		o.ConfDir = filepath.Join(o.Dir, "net.d")
	}
	if o.Program == "" {
		if o.Program, err = os.Executable(); err != nil {
			return o, fmt.Errorf("pods' interfaces: find the running program: %w", err)
		}
	}
	return o, nil
}

func isProgram(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.Mode().IsRegular() && i.Mode()&0o111 != 0
}

func (o *Options) binDir() string    { return filepath.Join(o.Dir, "bin") }
func (o *Options) addresses() string { return filepath.Join(o.Dir, "addresses") }
func (o *Options) socket() string    { return filepath.Join(o.Dir, "events.sock") }
func (o *Options) confPath() string  { return filepath.Join(o.ConfDir, confFile) }
