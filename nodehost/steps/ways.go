package steps

import (
	"time"

	"github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

// Ways takes how this node's pods are reached, and the ways to other nodes' pods: for
// overlay.Options.Changed.
func (t *Teller) Ways(self ways.Peer, to []ways.Way) {
	net := &told.Net{
		Pods: self.PodCIDR.String(), IP: self.IP.String(), Subnet: self.Subnet.String(), MTU: self.MTU, PodMTU: ways.PodMTU(self.Endpoint),
		Mode: string(self.Mode),
	}
	if self.NAT.IsValid() {
		net.NAT = self.NAT.String()
	}
	for _, w := range to[:min(len(to), told.MaxWays)] {
		net.Ways = append(net.Ways, told.Way{
			Node: w.Name, Pods: w.PodCIDR.String(), By: string(w.Path), Via: via(w), Why: why(self, w), MTU: w.MTU,
		})
	}
	net.More = len(to) - len(net.Ways)
	t.add(told.Step{At: time.Now().UnixMicro(), Net: net})
}

// via is where a packet to a pod there goes first: what the route says, or the other end of the tunnel.
func via(w ways.Way) string {
	if w.Path == ways.PathNone {
		return ""
	}
	return w.IP.String()
}

// why says why a way is taken, in the terms of ways.Decide.
func why(self ways.Peer, w ways.Way) string {
	switch {
	case w.Path == ways.PathNone:
		return w.Reason
	case w.Path == ways.PathRoute:
		return "both are in " + self.Subnet.String()
	case self.Mode == ways.VXLAN:
		return "this node takes VXLAN always"
	case w.Mode == ways.VXLAN:
		return "the other node takes VXLAN always"
	}
	return "they are in different subnets, " + self.Subnet.String() + " and " + w.Subnet.String()
}
