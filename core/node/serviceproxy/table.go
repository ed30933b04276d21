package serviceproxy

import (
	"net"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	upstream "k8s.io/kubernetes/pkg/proxy"
)

// table says where connections go. It is never changed: a new one takes its place.
type table struct {
	// addresses are the cluster IPs, external IPs and load balancers' IPs of Services.
	addresses map[netip.AddrPort]*frontend
	nodePorts map[int]*frontend
}

// frontend is one of the ways to a port of a Service.
type frontend struct {
	name      upstream.ServicePortName
	port      upstream.ServicePort
	endpoints []string // "IP:port" of those that may serve here
}

// newTable lays out the ports of all Services as a node sees them.
func newTable(node string, services upstream.ServicePortMap, endpoints upstream.EndpointsMap) *table {
	t := &table{addresses: map[netip.AddrPort]*frontend{}, nodePorts: map[int]*frontend{}}
	for name, port := range services {
		if port.Protocol() != corev1.ProtocolTCP {
			continue
		}
		// Hints for a zone count for nothing: in-tab nodes are in none.
		cluster, local, _, _ := upstream.CategorizeEndpoints(endpoints[name], port, node, nil)
		internal := &frontend{name, port, addressesOf(cluster, local, port.InternalPolicyLocal())}
		t.add(port.ClusterIP(), port.Port(), internal)
		if !port.ExternallyAccessible() {
			continue
		}
		external := &frontend{name, port, addressesOf(cluster, local, port.ExternalPolicyLocal())}
		for _, ip := range slices.Concat(port.ExternalIPs(), port.LoadBalancerVIPs()) {
			t.add(ip, port.Port(), external)
		}
		if p := port.NodePort(); p != 0 {
			t.nodePorts[p] = external
		}
	}
	return t
}

func (t *table) add(ip net.IP, port int, f *frontend) {
	if addr, ok := netip.AddrFromSlice(ip); ok {
		t.addresses[netip.AddrPortFrom(addr.Unmap(), uint16(port))] = f
	}
}

func addressesOf(cluster, local []upstream.Endpoint, onlyLocal bool) (addresses []string) {
	from := cluster
	if onlyLocal {
		from = local
	}
	for _, e := range from {
		addresses = append(addresses, e.String())
	}
	return addresses
}
