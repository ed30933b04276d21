package cni

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"path"
	"slices"

	"github.com/containernetworking/cni/libcni"
)

// Bounds of a configuration: a person writes it, or a pod that may write to the node's disk.
const (
	maxConf  = 16 << 10
	maxConfs = 64
)

// DefaultConf is the file that Configure writes.
const DefaultConf = ConfDir + "/10-tabernetes.conflist"

// conf is a configuration that was read.
type conf struct {
	path string
	text []byte
	list *libcni.NetworkConfigList
}

// extensions are the files that count, as containerd has them.
var extensions = []string{".conf", ".conflist", ".json"}

// load reads the first configuration by name, as containerd does. The words of its errors are go-cni's and
// libcni's, so that people find them.
func (n *Network) load() (*conf, error) {
	entries, err := n.opts.Root.ReadDir(ConfDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("failed to read config file: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains(extensions, path.Ext(e.Name())) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no network config found in %s", ConfDir)
	}
	file := path.Join(ConfDir, slices.Min(names))
	text, err := n.read(file)
	if err != nil {
		return nil, fmt.Errorf("failed to load CNI config list file %s: %w", file, err)
	}
	n.mu.Lock()
	known := n.conf
	n.mu.Unlock()
	if known != nil && known.path == file && bytes.Equal(known.text, text) && known.list.LoadOnlyInlinedPlugins {
		return known, nil
	}
	var list *libcni.NetworkConfigList
	if path.Ext(file) == ".conflist" {
		list, err = n.complete(text)
	} else {
		list, err = single(text)
	}
	if err != nil {
		return nil, fmt.Errorf("failed to load CNI config list file %s: %w", file, err)
	}
	c := &conf{path: file, text: text, list: list}
	n.mu.Lock()
	n.conf = c
	n.mu.Unlock()
	return c, nil
}

// complete is a list with the plugins of the directory of its name, as libcni.NetworkConfFromFile reads it.
func (n *Network) complete(text []byte) (*libcni.NetworkConfigList, error) {
	if len(text) > maxConf {
		return nil, fmt.Errorf("it has more than %d bytes", maxConf)
	}
	list, err := libcni.NetworkConfFromBytes(text)
	if err != nil {
		return nil, err
	}
	if !list.LoadOnlyInlinedPlugins {
		dir := path.Join(ConfDir, path.Join("/", list.Name))
		entries, err := n.opts.Root.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("failed to read plugin config files in %s: %w", dir, err)
		}
		for _, e := range entries[:min(len(entries), maxConfs)] {
			if e.IsDir() || path.Ext(e.Name()) != ".conf" || dir == ConfDir {
				continue
			}
			text, err := n.read(path.Join(dir, e.Name()))
			if err != nil {
				return nil, fmt.Errorf("error reading %s: %w", path.Join(dir, e.Name()), err)
			}
			plugin, err := libcni.NetworkPluginConfFromBytes(text)
			if err != nil {
				return nil, err
			}
			list.Plugins = append(list.Plugins, plugin)
		}
	}
	if len(list.Plugins) == 0 {
		return nil, errors.New("no plugin configs found")
	}
	if len(list.Plugins) > maxConfs {
		return nil, fmt.Errorf("it has more than %d plugins", maxConfs)
	}
	return list, nil
}

// single makes a list of the older form, of one plugin.
func single(text []byte) (*libcni.NetworkConfigList, error) {
	plugin, err := libcni.NetworkPluginConfFromBytes(text)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(map[string]any{
		"name": plugin.Network.Name, "cniVersion": plugin.Network.CNIVersion,
		"loadOnlyInlinedPlugins": true, "plugins": []json.RawMessage{text},
	})
	if err != nil {
		return nil, err
	}
	return libcni.NetworkConfFromBytes(list)
}

// read reads a file of the node that somebody else may have written.
func (n *Network) read(name string) ([]byte, error) {
	info, err := n.opts.Root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := n.opts.Root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConf+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxConf {
		return nil, fmt.Errorf("it has more than %d bytes", maxConf)
	}
	return text, nil
}

type object = map[string]any

// writeDefault writes a configuration for these ranges if there is none of any kind, and replaces one that
// it wrote for others.
func (n *Network) writeDefault(cidrs []netip.Prefix) error {
	ranges, routes := []any{}, []any{}
	for _, p := range cidrs {
		ranges = append(ranges, []any{object{"subnet": p.String()}})
		if p.Addr().Is4() {
			routes = append(routes, object{"dst": "0.0.0.0/0"})
		} else {
			routes = append(routes, object{"dst": "::/0"})
		}
	}
	text, err := json.MarshalIndent(struct {
		CNIVersion string `json:"cniVersion"`
		Name       string `json:"name"`
		Inlined    bool   `json:"loadOnlyInlinedPlugins"`
		Plugins    []any  `json:"plugins"`
	}{"1.0.0", "tabernetes", true, []any{
		object{"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
			"ipam": object{"type": "host-local", "ranges": ranges, "routes": routes}},
		object{"type": "portmap", "capabilities": object{"portMappings": true}},
	}}, "", "  ")
	if err != nil {
		return err
	}
	if entries, err := n.opts.Root.ReadDir(ConfDir); err == nil && len(entries) > 0 {
		return nil // somebody has said how it is to be
	}
	if err := n.opts.Root.MkdirAll(ConfDir, 0o755); err != nil {
		return fmt.Errorf("write a CNI configuration: %w", err)
	}
	if err := n.opts.Root.WriteFile(DefaultConf, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write a CNI configuration: %w", err)
	}
	return nil
}
