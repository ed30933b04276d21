package netns

import "net/netip"

// Enter has nothing to do: every address is local on js.
func Enter(...netip.Addr) error { return nil }
