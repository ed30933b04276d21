package confine

import (
	"fmt"
	"net/netip"
)

// Address says why no machine can have an address; nil if one can. reserved are the cluster's own:
// of pods, Services and in-tab nodes.
func Address(a netip.Addr, reserved []netip.Prefix) error {
	if !a.IsValid() || a.Zone() != "" || !a.Unmap().IsGlobalUnicast() {
		return fmt.Errorf("%s is no address that one machine has for others", a)
	}
	for _, p := range reserved {
		if p.Contains(a.Unmap()) {
			return fmt.Errorf("%s is one of the cluster's own addresses (%s)", a, p)
		}
	}
	return nil
}
