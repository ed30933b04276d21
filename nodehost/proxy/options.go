package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"

	"k8s.io/client-go/rest"
)

// Mode is how kube-proxy makes its rules.
type Mode string

const (
	// Auto is NFTables where the kernel and the program nft are there, else IPTables.
	Auto Mode = ""
	// NFTables is kube-proxy's mode of that name.
	NFTables Mode = "nftables"
	// IPTables is kube-proxy's mode of that name.
	IPTables Mode = "iptables"
)

// Options of kube-proxy on a node.
type Options struct {
	Client   *rest.Config
	NodeName string
	// NodeIP is the address that NodePorts are served on.
	NodeIP netip.Addr
	// PodCIDRs are the node's own: what does not come from them is masqueraded on its way to a
	// Service.
	PodCIDRs []netip.Prefix
	Mode     Mode
	Log      *slog.Logger
}

func (o Options) complete() (Options, error) {
	if o.Client == nil || o.NodeName == "" || len(o.PodCIDRs) == 0 {
		return o, errors.New("kube-proxy: a client, the node's name and its pod CIDR are needed")
	}
	if !o.NodeIP.Is4() {
		return o, fmt.Errorf("kube-proxy: the node's address %s is not IPv4", o.NodeIP)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o, o.Mode.Validate()
}

// Validate says whether there is such a mode.
func (m Mode) Validate() error {
	switch m {
	case Auto, NFTables, IPTables:
		return nil
	}
	return fmt.Errorf("kube-proxy: the mode %q is neither nftables nor iptables", string(m))
}
