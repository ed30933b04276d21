package cni

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"net/netip"
	"slices"

	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"
	"github.com/containernetworking/plugins/pkg/ip"
)

// bridgeConf is what of bridge's configuration means something here. Of the rest, what would change who
// reaches whom is refused; mtu, promiscMode, hairpinMode, ipMasq and its like change nothing: in the tab a
// pod always reaches itself by its Service, and nobody is masqueraded on the way to another pod.
type bridgeConf struct {
	types.NetConf
	Bridge           string            `json:"bridge"`
	IsGateway        bool              `json:"isGateway"`
	IsDefaultGateway bool              `json:"isDefaultGateway"`
	Hairpin          bool              `json:"hairpinMode"`
	Promisc          bool              `json:"promiscMode"`
	Vlan             int               `json:"vlan"`
	VlanTrunk        []json.RawMessage `json:"vlanTrunk"`
	NoInterface      bool              `json:"disableContainerInterface"`
	PortIsolation    bool              `json:"portIsolation"`
}

func loadBridge(c *call) (*bridgeConf, error) {
	conf := &bridgeConf{Bridge: "cni0"}
	if err := json.Unmarshal(c.stdin, conf); err != nil {
		return nil, fmt.Errorf("failed to load netconf: %w", err)
	}
	unsupported := func(field string) error {
		return types.NewError(types.ErrUnsupportedField, "bridge in the tab has no "+field, "leave it out; real nodes have it")
	}
	switch {
	case conf.Hairpin && conf.Promisc:
		return nil, errors.New("cannot set hairpin mode and promiscuous mode at the same time")
	case conf.Vlan != 0 || len(conf.VlanTrunk) > 0:
		return nil, unsupported("VLANs")
	case conf.NoInterface:
		return nil, unsupported("disableContainerInterface")
	case conf.PortIsolation:
		return nil, unsupported("portIsolation")
	case conf.IPAM.Type == "":
		return nil, unsupported("network without addresses: \"ipam\" is missing")
	}
	conf.IsGateway = conf.IsGateway || conf.IsDefaultGateway
	return conf, version.ParsePrevResult(&conf.NetConf)
}

func (n *Network) bridgeAdd(ctx context.Context, c *call) (types.Result, error) {
	conf, err := loadBridge(c)
	if err != nil {
		return nil, err
	}
	netns := n.opts.Namespace(c.netns)
	if netns == nil {
		return nil, types.NewError(types.ErrInvalidNetNS, fmt.Sprintf("failed to open netns %q: no such file or directory", c.netns), "")
	}
	if _, there := netns.Links()[c.ifname]; there {
		return nil, fmt.Errorf("container veth name %q already exists", c.ifname)
	}
	given, err := n.delegate(ctx, c, "ADD", conf.IPAM.Type)
	if err != nil {
		return nil, err
	}
	result, err := n.bridged(c, conf, netns, given)
	if err != nil {
		_, _ = n.delegate(ctx, c, "DEL", conf.IPAM.Type) // the first error says more
		return nil, err
	}
	return result, nil
}

// bridged gives the pod the addresses that were given it, and says what there is now.
func (n *Network) bridged(c *call, conf *bridgeConf, netns Namespace, given types.Result) (types.Result, error) {
	ipam, err := types100.NewResultFromResult(given)
	if err != nil {
		return nil, err
	}
	if len(ipam.IPs) == 0 {
		return nil, errors.New("IPAM plugin returned missing IP config")
	}
	bridge := &types100.Interface{Name: conf.Bridge}
	veth := &types100.Interface{Name: fmt.Sprintf("veth%08x", crc32.ChecksumIEEE([]byte(c.container+c.ifname)))}
	inside := &types100.Interface{Name: c.ifname, Sandbox: c.netns}
	result := &types100.Result{
		CNIVersion: types100.ImplementedSpecVersion, Interfaces: []*types100.Interface{bridge, veth, inside},
		IPs: ipam.IPs, Routes: ipam.Routes, DNS: ipam.DNS,
	}
	var addresses []netip.Addr
	for _, config := range result.IPs {
		addr, ok := netip.AddrFromSlice(config.Address.IP)
		if !ok {
			return nil, fmt.Errorf("IPAM plugin returned the address %q", config.Address.IP)
		}
		addresses = append(addresses, addr.Unmap())
		config.Interface = types100.Int(2)
		if config.Gateway == nil && conf.IsGateway {
			config.Gateway = ip.NextIP(config.Address.IP.Mask(config.Address.Mask))
		}
		if conf.IsDefaultGateway {
			result.Routes = append(result.Routes, &types.Route{Dst: everything(config.Address.IP), GW: config.Gateway})
		}
	}
	inside.Mac = hardware(result.IPs[0].Address.IP)
	veth.Mac = hardware(net.IP(crcBytes(veth.Name)))
	bridge.Mac = hardware(result.IPs[0].Gateway)
	return result, netns.AddLink(c.ifname, addresses)
}

func everything(of net.IP) net.IPNet {
	if of.To4() != nil {
		return net.IPNet{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}
	}
	return net.IPNet{IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)}
}

func crcBytes(s string) []byte {
	sum := crc32.ChecksumIEEE([]byte(s))
	return []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}
}

// hardware is the locally administered address that `ip link` in a pod shows for this IP.
func hardware(of net.IP) string {
	v4 := of.To4()
	if v4 == nil {
		return "02:00:00:00:00:01"
	}
	return net.HardwareAddr(append([]byte{0x0a, 0x58}, v4...)).String()
}

func (n *Network) bridgeDel(ctx context.Context, c *call) error {
	conf, err := loadBridge(c)
	if err != nil {
		return err
	}
	if netns := n.opts.Namespace(c.netns); netns != nil {
		netns.DelLink(c.ifname)
	}
	_, err = n.delegate(ctx, c, "DEL", conf.IPAM.Type)
	return err
}

func (n *Network) bridgeCheck(ctx context.Context, c *call) error {
	conf, err := loadBridge(c)
	if err != nil {
		return err
	}
	if _, err := n.delegate(ctx, c, "CHECK", conf.IPAM.Type); err != nil {
		return err
	}
	if conf.PrevResult == nil {
		return errors.New("required prevResult missing")
	}
	result, err := types100.NewResultFromResult(conf.PrevResult)
	if err != nil {
		return err
	}
	netns := n.opts.Namespace(c.netns)
	if netns == nil {
		return types.NewError(types.ErrInvalidNetNS, fmt.Sprintf("failed to open netns %q: no such file or directory", c.netns), "")
	}
	has, there := netns.Links()[c.ifname]
	if !there {
		return fmt.Errorf("expected to find the interface %q in %s: it is not there", c.ifname, c.netns)
	}
	for _, config := range result.IPs {
		if addr, ok := netip.AddrFromSlice(config.Address.IP); !ok || !slices.Contains(has, addr.Unmap()) {
			return fmt.Errorf("failed to match addr %v on interface %v", config.Address.IP, c.ifname)
		}
	}
	return nil
}

// delegateOnly is STATUS and GC of a plugin that keeps nothing itself.
func (n *Network) delegateOnly(ctx context.Context, c *call) error {
	conf, err := loadBridge(c)
	if err != nil {
		return err
	}
	_, err = n.delegate(ctx, c, c.command, conf.IPAM.Type)
	return err
}
