package localaddr

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/vishvananda/netlink"
)

// Name is the interface's name.
const Name = "tab-local"

// mu is held while the interface is made or changed: several components of one process use it.
var mu sync.Mutex

// Ensure makes the interface if it is not there and puts addr on it. What is there already
// stays: a node that starts again finds it. The error says when the name is somebody else's, or
// when addr is on another interface of this machine.
func Ensure(addr netip.Addr) error {
	mu.Lock()
	defer mu.Unlock()
	l, err := hold()
	if err != nil {
		return err
	}
	if other, err := owner(addr); err != nil {
		return err
	} else if other != "" && other != Name {
		return fmt.Errorf("put %s on %s: this machine has it on %s already; another value is needed", addr, Name, other)
	}
	if err := netlink.AddrReplace(l, &netlink.Addr{IPNet: host(addr)}); err != nil {
		return fmt.Errorf("put %s on %s: %w", addr, Name, err)
	}
	return nil
}

// hold is the interface, up. Caller must hold mu.
func hold() (netlink.Link, error) {
	l, err := netlink.LinkByName(Name)
	var missing netlink.LinkNotFoundError
	if errors.As(err, &missing) {
		l = &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: Name}}
		if err = netlink.LinkAdd(l); err == nil {
			l, err = netlink.LinkByName(Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("make the interface %s: %w", Name, err)
	}
	if l.Type() != "bridge" {
		return nil, fmt.Errorf("make the interface %s: an interface of type %s has that name", Name, l.Type())
	}
	if err := netlink.LinkSetUp(l); err != nil {
		return nil, fmt.Errorf("set %s up: %w", Name, err)
	}
	return l, nil
}

// owner is the interface that has addr, "" if none has. A whole network of addresses on lo
// (10.0.0.0/8, say) is no owner.
func owner(addr netip.Addr) (string, error) {
	addrs, err := netlink.AddrList(nil, family(addr))
	if err != nil {
		return "", fmt.Errorf("list addresses: %w", err)
	}
	for _, a := range addrs {
		if got, _ := netip.AddrFromSlice(a.IP); got.Unmap() != addr {
			continue
		}
		l, err := netlink.LinkByIndex(a.LinkIndex)
		if err != nil {
			return "", fmt.Errorf("find the interface that has %s: %w", addr, err)
		}
		return l.Attrs().Name, nil
	}
	return "", nil
}

// Remove removes the interface with all of its addresses; none is no error.
func Remove() error {
	mu.Lock()
	defer mu.Unlock()
	l, err := netlink.LinkByName(Name)
	if err != nil {
		return ignoreMissing(err)
	}
	if l.Type() != "bridge" {
		return nil // somebody else's
	}
	if err := netlink.LinkDel(l); err != nil {
		return fmt.Errorf("remove %s: %w", Name, err)
	}
	return nil
}

// Inventory names what Remove would remove.
func Inventory() ([]string, error) {
	l, err := netlink.LinkByName(Name)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	if l.Type() != "bridge" {
		return nil, nil
	}
	return []string{"interface " + Name}, nil
}

// Local tells whether a caller is on this machine: an address of it, or of one of its pods.
func Local(caller netip.Addr, pods []netip.Prefix) bool {
	caller = caller.Unmap()
	if caller.IsLoopback() || slices.ContainsFunc(pods, func(p netip.Prefix) bool { return p.Contains(caller) }) {
		return true
	}
	name, err := owner(caller)
	return err == nil && name != ""
}

func ignoreMissing(err error) error {
	var missing netlink.LinkNotFoundError
	if errors.As(err, &missing) {
		return nil
	}
	return fmt.Errorf("find %s: %w", Name, err)
}

func host(a netip.Addr) *net.IPNet {
	return &net.IPNet{IP: a.AsSlice(), Mask: net.CIDRMask(a.BitLen(), a.BitLen())}
}

func family(a netip.Addr) int {
	if a.Is4() {
		return netlink.FAMILY_V4
	}
	return netlink.FAMILY_V6
}
