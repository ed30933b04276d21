package join

import (
	"context"
	"log/slog"
	"net/netip"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/nodehost/cni"
	"github.com/tabernetes/tabernetes/nodehost/cri"
)

// NetworkConfig is what the network of a node's pods is made of.
type NetworkConfig struct {
	// Node is the Node's name, IP its address, PodCIDRs what its pods get addresses from.
	Node     string
	IP       netip.Addr
	PodCIDRs []netip.Prefix
	// API is a client configuration with the node's own rights.
	API *rest.Config
	// Endpoint is the container runtime's.
	Endpoint string
	// Dir is the network's own; PluginDirs is where the standard plugins may be.
	Dir        string
	PluginDirs []string
	Log        *slog.Logger
}

// network keeps the network of the node's pods until ctx is done. What it makes is removed by
// nodehost/leave.
func network(ctx context.Context, c NetworkConfig) error {
	n, err := cni.New(cni.Options{
		Dir: c.Dir, PodCIDRs: c.PodCIDRs, PluginDirs: c.PluginDirs, Log: c.Log,
		Valid: func(ctx context.Context) ([]string, error) { return cri.Sandboxes(ctx, c.Endpoint) },
	})
	if err != nil {
		return err
	}
	return n.Run(ctx)
}
