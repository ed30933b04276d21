package netns

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// setUp is, in words of iproute2,
//
//	ip link set lo up
//	ip route add local 10.0.0.0/8 dev lo
//	ip addr add <each of addrs>/32 dev lo
func setUp(addrs []netip.Addr) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find lo: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("set lo up: %w", err)
	}
	_, cluster, err := net.ParseCIDR(ClusterCIDR.String())
	if err != nil {
		return err
	}
	route := &netlink.Route{
		LinkIndex: lo.Attrs().Index,
		Dst:       cluster,
		Type:      unix.RTN_LOCAL,
		Table:     unix.RT_TABLE_LOCAL,
		Scope:     netlink.SCOPE_HOST,
	}
	if err := netlink.RouteReplace(route); err != nil {
		return fmt.Errorf("make %s local: %w", cluster, err)
	}
	for _, addr := range addrs {
		ip := &net.IPNet{IP: addr.AsSlice(), Mask: net.CIDRMask(addr.BitLen(), addr.BitLen())}
		if err := netlink.AddrReplace(lo, &netlink.Addr{IPNet: ip}); err != nil {
			return fmt.Errorf("add %s to lo: %w", addr, err)
		}
	}
	return nil
}
