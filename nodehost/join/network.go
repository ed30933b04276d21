package join

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
)

// NetworkConfig is what the network of a node's pods is made of.
type NetworkConfig struct {
	// Node is the Node's name, IP its address, PodCIDRs what its pods get addresses from.
	Node     string
	IP       netip.Addr
	PodCIDRs []netip.Prefix
	// API is a client configuration with the node's own rights.
	API *rest.Config
	// Dir is kept over boots; ConfDir is where the runtime looks for the network's configuration, and
	// BinDir where the plugins are.
	Dir, ConfDir, BinDir string
}

// network keeps the network of the node's pods until ctx is done.
func network(ctx context.Context, c NetworkConfig) error {
	if err := writeConflist(c); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// Bridge is the interface that the node's pods are on.
const Bridge = "tabernetes0"

// conflist is the name of the network's configuration.
const conflist = "10-tabernetes.conflist"

// writeConflist makes a network of one bridge. Whole or not at all: the runtime watches the directory.
func writeConflist(c NetworkConfig) error {
	type object = map[string]any
	var ranges [][]object
	for _, p := range c.PodCIDRs {
		ranges = append(ranges, []object{{"subnet": p.String()}})
	}
	b, err := json.MarshalIndent(object{
		"cniVersion": "1.0.0", "name": "tabernetes",
		"plugins": []object{
			{
				"type": "bridge", "bridge": Bridge, "isGateway": true, "ipMasq": true, "hairpinMode": true,
				"ipam": object{
					"type": "host-local", "dataDir": filepath.Join(c.Dir, "addresses"),
					"ranges": ranges, "routes": []object{{"dst": "0.0.0.0/0"}},
				},
			},
			{"type": "portmap", "capabilities": object{"portMappings": true}},
		},
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.ConfDir, 0o755); err != nil {
		return fmt.Errorf("write the pods' network: %w", err)
	}
	path := filepath.Join(c.ConfDir, conflist)
	if err := os.WriteFile(path+".next", b, 0o644); err != nil {
		return fmt.Errorf("write the pods' network: %w", err)
	}
	if err := os.Rename(path+".next", path); err != nil {
		return fmt.Errorf("write the pods' network: %w", err)
	}
	return nil
}
