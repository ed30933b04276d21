package serviceproxy

import (
	"net"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	upstream "k8s.io/kubernetes/pkg/proxy"
)

// table says where connections and datagrams go. It is never changed: a new one takes its place.
type table struct {
	// addresses are the cluster IPs, external IPs and load balancers' IPs of Services.
	addresses map[address]*frontend
	nodePorts map[nodePort]*frontend
}

// address is where a port of a Service is found; network is "tcp" or "udp".
type address struct {
	network string
	at      netip.AddrPort
}

type nodePort struct {
	network string
	port    int
}

// frontend is one of the ways to a port of a Service.
type frontend struct {
	name      upstream.ServicePortName
	port      upstream.ServicePort
	endpoints []string // "IP:port" of those that may serve here
	// inside are those that serve clients within the cluster where endpoints are for those outside
	// (externalTrafficPolicy: Local).
	inside []string
	// elsewhere says that there are endpoints, of which none may serve here: nothing is answered.
	elsewhere bool
	// masquerade says that an endpoint sees the node as its client.
	masquerade bool
	// published says that this is an external IP or a load balancer's address; node ports share its frontend.
	published bool
	// sources are the clients that a load balancer's address is for; none is everybody.
	sources []netip.Prefix
}

// newTable lays out the ports of all Services as a node sees them.
func newTable(node string, services upstream.ServicePortMap, endpoints upstream.EndpointsMap) *table {
	t := &table{addresses: map[address]*frontend{}, nodePorts: map[nodePort]*frontend{}}
	for name, port := range services {
		network := networkOf(port.Protocol())
		if network == "" {
			continue
		}
		// Hints for a zone count for nothing: in-tab nodes are in none.
		cluster, local, _, somewhere := upstream.CategorizeEndpoints(endpoints[name], port, node, nil)
		internal := &frontend{name: name, port: port, endpoints: addressesOf(cluster)}
		if port.InternalPolicyLocal() {
			internal.endpoints = addressesOf(local)
		}
		internal.elsewhere = somewhere
		t.add(network, port.ClusterIP(), port.Port(), internal)
		if !port.ExternallyAccessible() {
			continue
		}
		external := &frontend{name: name, port: port, endpoints: addressesOf(cluster), elsewhere: somewhere, masquerade: true, published: true}
		if port.ExternalPolicyLocal() {
			external.endpoints, external.inside, external.masquerade = addressesOf(local), addressesOf(cluster), false
		}
		for _, ip := range port.ExternalIPs() {
			t.add(network, ip, port.Port(), external)
		}
		balanced := *external
		balanced.sources = prefixes(port.LoadBalancerSourceRanges())
		for _, ip := range port.LoadBalancerVIPs() {
			t.add(network, ip, port.Port(), &balanced)
		}
		if p := port.NodePort(); p != 0 {
			t.nodePorts[nodePort{network, p}] = external
		}
	}
	return t
}

// networkOf is package net's name of a protocol; "" for one that the tab does not carry.
func networkOf(p corev1.Protocol) string {
	switch p {
	case corev1.ProtocolTCP, corev1.ProtocolUDP:
		return strings.ToLower(string(p))
	}
	return ""
}

func (t *table) add(network string, ip net.IP, port int, f *frontend) {
	if addr, ok := netip.AddrFromSlice(ip); ok {
		t.addresses[address{network, netip.AddrPortFrom(addr.Unmap(), uint16(port))}] = f
	}
}

func addressesOf(endpoints []upstream.Endpoint) (addresses []string) {
	for _, e := range endpoints {
		addresses = append(addresses, e.String())
	}
	return addresses
}

func prefixes(nets []*net.IPNet) (list []netip.Prefix) {
	for _, n := range nets {
		if p, err := netip.ParsePrefix(n.String()); err == nil {
			list = append(list, p)
		}
	}
	return list
}
