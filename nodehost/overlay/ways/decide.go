package ways

import "fmt"

// Mode says which ways between nodes are allowed.
type Mode string

const (
	// Auto takes a plain route within a subnet and VXLAN between subnets.
	Auto Mode = "auto"
	// VXLAN takes VXLAN always: for networks that drop packets of addresses they do not know,
	// as most clouds' do.
	VXLAN Mode = "vxlan"
	// Routes takes plain routes only; pods then have the whole MTU.
	Routes Mode = "routes"
)

// Validate says whether there is such a mode; "" is Auto.
func (m Mode) Validate() error {
	switch m {
	case "", Auto, VXLAN, Routes:
		return nil
	}
	return fmt.Errorf("the mode %.40q is none of auto, vxlan, routes", string(m))
}

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
	// Private networks are alike: one subnet behind two NATs is two networks.
	case a.NAT != b.NAT && (!neighbours || a.NAT.IsValid() && b.NAT.IsValid()):
		if !a.NAT.IsValid() {
			a, b = b, a
		}
		return PathNone, fmt.Sprintf("node %s is behind NAT (%s), and node %s is not behind the same: their pods cannot reach each other, as a relay through the hub does not exist yet", a.Name, a.NAT, b.Name)
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

// way is what self does about a peer.
func way(self, peer Peer) Way {
	w := Way{Peer: peer, MTU: min(self.MTU, peer.MTU)}
	if w.Path, w.Reason = Decide(self, peer); w.Path == PathVXLAN {
		w.MTU -= Overhead
	}
	return w
}

// Overhead of VXLAN over IPv4 in bytes: inner Ethernet 14, VXLAN 8, UDP 8, IP 20.
const Overhead = 50

// PodMTU is what the interfaces of a node's pods have: what fits through the narrowest way that
// the node may take. Ways that are narrower still say so by their route's MTU.
func PodMTU(e Endpoint) int {
	if e.Mode == Routes {
		return e.MTU
	}
	return e.MTU - Overhead
}
