package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

// ensureVXLAN makes the interface, or makes it anew if it is there with other properties. Its
// address is the first of the node's pod CIDR, which no pod gets.
func ensureVXLAN(self ways.Peer, underlay int) (index int, err error) {
	mac, err := net.ParseMAC(self.MAC)
	if err != nil {
		return 0, err
	}
	want := &netlink.Vxlan{
		LinkAttrs:    netlink.LinkAttrs{Name: Interface, HardwareAddr: mac, MTU: self.MTU - ways.Overhead},
		VxlanId:      vni,
		VtepDevIndex: underlay,
		SrcAddr:      self.IP.AsSlice(),
		Port:         self.Port,
		Learning:     false,
		UDPCSum:      true,
	}
	l, err := netlink.LinkByName(Interface)
	var missing netlink.LinkNotFoundError
	switch {
	case errors.As(err, &missing):
	case err != nil:
		return 0, fmt.Errorf("find %s: %w", Interface, err)
	case same(l, want):
		return l.Attrs().Index, up(l, self)
	default:
		if l.Type() != "vxlan" {
			return 0, fmt.Errorf("make the VXLAN interface %s: an interface of type %s has that name", Interface, l.Type())
		}
		if err := netlink.LinkDel(l); err != nil {
			return 0, fmt.Errorf("remove the old %s: %w", Interface, err)
		}
	}
	if err := netlink.LinkAdd(want); err != nil {
		return 0, fmt.Errorf("make the VXLAN interface %s on UDP port %d: %w", Interface, self.Port, err)
	}
	if l, err = netlink.LinkByName(Interface); err != nil {
		return 0, fmt.Errorf("find %s: %w", Interface, err)
	}
	return l.Attrs().Index, up(l, self)
}

// removeVXLAN removes the interface; none, or one of another kind with that name, is no error.
func removeVXLAN() error {
	l, err := netlink.LinkByName(Interface)
	var missing netlink.LinkNotFoundError
	if errors.As(err, &missing) || err == nil && l.Type() != "vxlan" {
		return nil
	}
	if err == nil {
		err = netlink.LinkDel(l)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", Interface, err)
	}
	return nil
}

func same(l netlink.Link, want *netlink.Vxlan) bool {
	have, ok := l.(*netlink.Vxlan)
	return ok && have.VxlanId == want.VxlanId && have.VtepDevIndex == want.VtepDevIndex && have.Port == want.Port &&
		have.SrcAddr.Equal(want.SrcAddr) && have.MTU == want.MTU && bytes.Equal(have.HardwareAddr, want.HardwareAddr)
}

func up(l netlink.Link, self ways.Peer) error {
	own := netip.PrefixFrom(self.PodCIDR.Masked().Addr(), 32)
	have, err := netlink.AddrList(l, netlink.FAMILY_V4)
	if err != nil {
		return fmt.Errorf("list the addresses of %s: %w", Interface, err)
	}
	for _, a := range have {
		if p, ok := prefixOf(a.IPNet); !ok || p != own {
			if err := netlink.AddrDel(l, &a); err != nil {
				return fmt.Errorf("take %s off %s: %w", a.IPNet, Interface, err)
			}
		}
	}
	if err := netlink.AddrReplace(l, &netlink.Addr{IPNet: ipNet(own)}); err != nil {
		return fmt.Errorf("put %s on %s: %w", own, Interface, err)
	}
	if err := netlink.LinkSetUp(l); err != nil {
		return fmt.Errorf("set %s up: %w", Interface, err)
	}
	return nil
}

func (o *outcome) neighbours(device int) {
	have, err := netlink.NeighList(device, netlink.FAMILY_V4)
	if err != nil {
		o.errs = append(o.errs, fmt.Errorf("list the neighbours on %s: %w", Interface, err))
		return
	}
	there := map[netip.Addr]bool{}
	for _, n := range have {
		ip, _ := netip.AddrFromSlice(n.IP)
		ip = ip.Unmap()
		if o.Neighbours[ip] == n.HardwareAddr.String() && n.State == netlink.NUD_PERMANENT {
			there[ip] = true
		} else if err := netlink.NeighDel(&n); !errors.Is(err, unix.ENOENT) {
			o.say(ip.String(), err, "remove the neighbour")
		}
	}
	for ip, mac := range o.Neighbours {
		if !there[ip] {
			o.say(ip.String(), netlink.NeighSet(&netlink.Neigh{LinkIndex: device, Family: netlink.FAMILY_V4, State: netlink.NUD_PERMANENT, Type: unix.RTN_UNICAST, IP: ip.AsSlice(), HardwareAddr: parsed(mac)}), "make the neighbour")
		}
	}
}

func (o *outcome) forwards(device int) {
	have, err := netlink.NeighList(device, unix.AF_BRIDGE)
	if err != nil {
		o.errs = append(o.errs, fmt.Errorf("list the forwarding entries of %s: %w", Interface, err))
		return
	}
	there := map[string]bool{}
	for _, n := range have {
		ip, _ := netip.AddrFromSlice(n.IP)
		mac := n.HardwareAddr.String()
		if want, ok := o.Forwards[mac]; ok && want == ip.Unmap() {
			there[mac] = true
		} else if err := netlink.NeighDel(&n); !errors.Is(err, unix.ENOENT) {
			o.say(mac, err, "remove the forwarding entry of")
		}
	}
	for mac, ip := range o.Forwards {
		if !there[mac] {
			o.say(mac, netlink.NeighSet(&netlink.Neigh{LinkIndex: device, Family: unix.AF_BRIDGE, Flags: netlink.NTF_SELF, State: netlink.NUD_PERMANENT, IP: ip.AsSlice(), HardwareAddr: parsed(mac)}), "make the forwarding entry of")
		}
	}
}

// parsed is a MAC that ways.Of has checked.
func parsed(mac string) net.HardwareAddr {
	m, _ := net.ParseMAC(mac)
	return m
}
