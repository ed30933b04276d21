package cni

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/containernetworking/cni/libcni"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
	"github.com/tabernetes/tabernetes/nodehost/trusted"
)

// collectEvery is how often what was leaked is looked for; deleting pods does not wait for it.
const collectEvery = 10 * time.Minute

// Net is the pods' network on this node.
type Net struct {
	options Options
	ready   chan struct{}
}

// New checks the options; nothing is written before Run.
func New(o Options) (*Net, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Existing != "" {
		files, err := libcni.ConfFiles(o.Existing, []string{".conf", ".conflist", ".json"})
		if err != nil {
			return nil, fmt.Errorf("read the CNI configuration directory %s: %w", o.Existing, err)
		}
		// A network that is a DaemonSet writes it, and that needs the node first: its pods, on the host's
		// network, run on a node that is not Ready, as with kubeadm.
		if len(files) == 0 {
			o.Log.Warn("there is no CNI configuration yet: the node is not Ready before a network is installed, as the DaemonSets of flannel, Calico or Cilium do; "+
				"without --cni-conf-dir the node makes a network of its own", "directory", o.Existing)
		}
	}
	return &Net{options: o, ready: make(chan struct{})}, nil
}

// ConfDir is what the container runtime's conf_dir has to be.
func (n *Net) ConfDir() string { return n.options.ConfDir }

// BinDirs is what the container runtime's bin_dir has to be, joined by ":" where it takes one
// (containerd 1.x takes only one directory: use BinDir).
func (n *Net) BinDirs() []string {
	if n.options.Existing != "" {
		return n.options.PluginDirs
	}
	return append([]string{n.options.binDir()}, n.options.PluginDirs...)
}

// BinDir holds the plugin and a link to each plugin of PluginDirs, once Run is ready; for a
// runtime whose bin_dir is one directory.
func (n *Net) BinDir() string { return n.options.binDir() }

// Ready is closed when the runtime can make pods.
func (n *Net) Ready() <-chan struct{} { return n.ready }

// Run writes the configuration, then listens to events and releases what was leaked until ctx is
// done. The configuration stays: containers do, too.
func (n *Net) Run(ctx context.Context) error {
	if n.options.Existing != "" {
		close(n.ready)
		<-ctx.Done()
		return nil
	}
	listener, err := n.prepare()
	if err != nil {
		return fmt.Errorf("pods' interfaces: %w", err)
	}
	defer listener.close()
	go listener.run(n.options.Event)
	if err := n.Collect(ctx); err != nil {
		n.options.Log.Warn("leaked addresses are not released", "error", err)
	}
	if err := n.write(ctx); err != nil {
		return fmt.Errorf("pods' interfaces: %w", err)
	}
	close(n.ready)
	tick := time.NewTicker(collectEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := n.Collect(ctx); err != nil && ctx.Err() == nil {
				n.options.Log.Warn("leaked addresses are not released", "error", err)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// prepare lays out what the configuration names.
func (n *Net) prepare() (*events, error) {
	for _, dir := range []string{n.options.Dir, n.options.binDir(), n.options.addresses(), n.options.ConfDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if err := n.installPlugins(); err != nil {
		return nil, err
	}
	return listen(n.options.socket())
}

// installPlugins fills BinDir: links, so that an update of the programs is an update here. The runtime
// runs them as root: one that others can change is not taken.
func (n *Net) installPlugins() error {
	links := map[string]string{plugin.Type: n.options.Program}
	for _, dir := range n.options.PluginDirs {
		entries, _ := os.ReadDir(dir) // not every directory is on every machine
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); links[e.Name()] == "" && isProgram(path) {
				links[e.Name()] = path
			}
		}
	}
	for name, target := range links {
		if err := trusted.Check(target); err != nil {
			return fmt.Errorf("install the plugin %s: %w", name, err)
		}
		if err := replaceLink(filepath.Join(n.options.binDir(), name), target); err != nil {
			return fmt.Errorf("install the plugin %s: %w", name, err)
		}
	}
	return nil
}

func replaceLink(path, target string) error {
	if old, err := os.Readlink(path); err == nil && old == target {
		return nil
	}
	next := path + ".next"
	_ = os.Remove(next)
	return errors.Join(os.Symlink(target, next), os.Rename(next, path))
}

// write puts the configuration in place, whole or not at all: the runtime watches the directory.
func (n *Net) write(ctx context.Context) error {
	conf, err := n.options.conflist(ctx, n.options.RuntimeVersion)
	if err != nil {
		return err
	}
	next := filepath.Join(n.options.ConfDir, "."+confFile)
	if err := os.WriteFile(next, append(conf, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(next, n.options.confPath())
}
