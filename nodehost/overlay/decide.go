package overlay

import "fmt"

// Path is a kind of way to another node.
type Path string

const (
	// PathRoute is a plain route to the other node's address.
	PathRoute Path = "route"
	// PathVXLAN is a tunnel to the other node's address.
	PathVXLAN Path = "vxlan"
	// PathNone is no way: see Way.Reason. A relay through the hub will be another Path, taken
	// where this one is taken because of NAT.
	PathNone Path = "none"
)

// Way is how the pods of another node are reached.
type Way struct {
	Peer
	Path Path
	// Reason says why there is none, for people.
	Reason string
	// MTU is what fits through, in bytes of a pod's packet.
	MTU int
}

// Decide chooses the way between two nodes. It is symmetric, so that both ends agree.
func Decide(a, b Peer) (Path, string) {
	neighbours := a.Subnet.Contains(b.IP) && b.Subnet.Contains(a.IP)
	switch {
	case a.PodCIDR.Overlaps(b.PodCIDR):
		return PathNone, fmt.Sprintf("nodes %s and %s both have pods in %s", a.Name, b.Name, b.PodCIDR)
	case a.IP == b.IP:
		return PathNone, fmt.Sprintf("nodes %s and %s both say that they are at %s", a.Name, b.Name, a.IP)
	case (a.BehindNAT || b.BehindNAT) && !neighbours:
		return PathNone, fmt.Sprintf("%s is behind NAT, and %s is not in its subnet: their pods cannot reach each other, as a relay through the hub does not exist yet", natted(a, b), other(a, b))
	case neighbours && a.Mode != VXLAN && b.Mode != VXLAN:
		return PathRoute, ""
	case a.Mode == Routes || b.Mode == Routes:
		return PathNone, fmt.Sprintf("nodes %s (%s, mode %s) and %s (%s, mode %s) are not to use VXLAN and are in no common subnet", a.Name, a.Subnet, a.Mode, b.Name, b.Subnet, b.Mode)
	case a.Port != b.Port:
		return PathNone, fmt.Sprintf("nodes %s and %s use different ports for VXLAN, %d and %d", a.Name, b.Name, a.Port, b.Port)
	default:
		return PathVXLAN, ""
	}
}

func natted(a, b Peer) string {
	if a.BehindNAT {
		return "node " + a.Name
	}
	return "node " + b.Name
}

func other(a, b Peer) string {
	if a.BehindNAT {
		return "node " + b.Name
	}
	return "node " + a.Name
}

// way is what self does about a peer.
func way(self, peer Peer) Way {
	w := Way{Peer: peer, MTU: min(self.MTU, peer.MTU)}
	if w.Path, w.Reason = Decide(self, peer); w.Path == PathVXLAN {
		w.MTU -= overhead
	}
	return w
}

// podMTU is what the interfaces of a node's pods have: what fits through the narrowest way that
// the node may take. Ways that are narrower still say so by their route's MTU.
func podMTU(e Endpoint) int {
	if e.Mode == Routes {
		return e.MTU
	}
	return e.MTU - overhead
}
