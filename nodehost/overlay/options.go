package overlay

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"

	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

const (
	// Interface is the VXLAN interface's name.
	Interface = "tab-vxlan"
	// Protocol marks our routes (`ip route show proto 84`).
	Protocol = 84
	// Table is the name of our nftables table, family ip.
	Table = "tabernetes"

	vni         = 84
	defaultPort = 8472 // Linux' and flannel's
)

// Options of the network between nodes.
type Options struct {
	Client kubernetes.Interface
	// Dir is the agent's own directory: how the machine's settings were before is kept there.
	Dir      string
	NodeName string
	// NodeIP is the address that other nodes reach this machine by. It must be on an interface.
	NodeIP netip.Addr
	// PodCIDRs are this node's, as in Node.spec.podCIDRs. The first IPv4 one is used.
	PodCIDRs []netip.Prefix
	// ClusterCIDRs hold the pods of all nodes: traffic to them is not masqueraded. Of another node's pod
	// CIDRs those count that are in them and have MaskSize bits (confine.Plan). Default
	// confine.PodMaskSize.
	ClusterCIDRs []netip.Prefix
	MaskSize     int
	// Mode by default is ways.Auto.
	Mode ways.Mode
	// Port is VXLAN's UDP port. Default 8472.
	Port int
	// Seen is the address under which others outside see this machine, as the hub can tell. If
	// it is not this machine's own, then the node is behind NAT, and reached by its neighbours
	// and by nodes behind the same NAT only. The zero value says nothing.
	Seen netip.Addr
	// Bridge is the interface of the node's pods: what comes from it is masqueraded on its way
	// out of the cluster.
	Bridge string
	// Rest is the name of an interface that takes what is for pods of no real node, while it is there;
	// such pods are unreachable without.
	Rest string
	// Changed is told how this node is reached, and of the ways to all others, whenever they have
	// changed; it must not block.
	Changed func(self ways.Peer, to []ways.Way)
	Log     *slog.Logger
}

func (o Options) complete() (Options, error) {
	if o.Client == nil || o.Dir == "" || o.NodeName == "" || o.Bridge == "" {
		return o, errors.New("overlay: a client, a directory, the node's name and the pods' interface are needed")
	}
	if err := o.Mode.Validate(); err != nil {
		return o, err
	}
	if o.Mode == "" {
		o.Mode = ways.Auto
	}
	if o.Port == 0 {
		o.Port = defaultPort
	}
	if o.MaskSize == 0 {
		o.MaskSize = confine.PodMaskSize
	}
	if o.Changed == nil {
		o.Changed = func(ways.Peer, []ways.Way) {}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if !o.NodeIP.Is4() {
		return o, fmt.Errorf("overlay: the node's address %s is not IPv4, which is all that is implemented", o.NodeIP)
	}
	if _, ok := ways.FirstIPv4(o.PodCIDRs); !ok {
		return o, fmt.Errorf("overlay: no IPv4 among the node's pod CIDRs %v", o.PodCIDRs)
	}
	return o, nil
}
