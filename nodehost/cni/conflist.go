package cni

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/version"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
)

type object = map[string]any

// conflist is the configuration of the network, in the version of the specification that is
// given: the runtime's when it is written for that, the newest for ourselves.
func (o *Options) conflist(ctx context.Context, specVersion string) ([]byte, error) {
	var ranges [][]object
	var routes []object
	for _, p := range o.PodCIDRs {
		ranges = append(ranges, []object{{"subnet": p.String()}})
		if p.Addr().Is4() {
			routes = append(routes, object{"dst": "0.0.0.0/0"})
		} else {
			routes = append(routes, object{"dst": "::/0"})
		}
	}
	bridge := object{
		"type":   "bridge",
		"bridge": Bridge,
		// The bridge has the subnet's first address, and pods can reach themselves through
		// their own Service. Who is masqueraded is nodehost/overlay's matter: the plugin would
		// hide pods from other nodes' pods.
		"isGateway": true, "hairpinMode": true, "ipMasq": false,
		"ipam": object{"type": "host-local", "dataDir": o.addresses(), "ranges": ranges, "routes": routes},
	}
	if o.MTU > 0 {
		bridge["mtu"] = o.MTU
	}
	var plugins []object
	for _, p := range []struct {
		delegate   object
		capability string
	}{
		{bridge, ""},
		{object{"type": "portmap", "snat": true}, "portMappings"},
		{object{"type": "bandwidth"}, "bandwidth"},
	} {
		name := p.delegate["type"].(string)
		known, err := o.newest(ctx, name)
		if err != nil {
			return nil, err
		}
		entry := object{"type": plugin.Type, "delegate": p.delegate, "delegateVersion": known, "events": o.socket()}
		// Its CHECK wants rules for IPv6 of a pod that has none (1.1.1).
		if name == "portmap" {
			entry["noCheck"] = true
		}
		if p.capability != "" {
			entry["capabilities"] = object{p.capability: true}
		}
		plugins = append(plugins, entry)
	}
	return json.MarshalIndent(object{"cniVersion": specVersion, "name": Network, "plugins": plugins}, "", "  ")
}

// newest is the newest version of the specification that an installed plugin knows.
func (o *Options) newest(ctx context.Context, name string) (string, error) {
	path, err := invoke.FindInPath(name, o.PluginDirs)
	if err != nil {
		return "", fmt.Errorf("the CNI plugin %s is missing in %q: apt-get install containernetworking-plugins", name, o.PluginDirs)
	}
	info, err := invoke.GetVersionInfo(ctx, path, nil)
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	newest := "0.4.0"
	for _, v := range info.SupportedVersions() {
		newer, err := version.GreaterThanOrEqualTo(v, newest)
		ours, _ := version.GreaterThanOrEqualTo(version.Current(), v)
		if err == nil && newer && ours {
			newest = v
		}
	}
	return newest, nil
}
