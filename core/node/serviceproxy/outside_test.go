package serviceproxy

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// outside makes a Service of two ports, by TCP and by UDP, which is found at more than its cluster IP.
func (h *harness) outside(change func(*corev1.Service)) {
	h.Helper()
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, ClusterIP: "10.96.0.5", ClusterIPs: []string{"10.96.0.5"},
			IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports: []corev1.ServicePort{
				{Name: "stream", Port: 80, Protocol: corev1.ProtocolTCP},
				{Name: "datagrams", Port: 53, Protocol: corev1.ProtocolUDP},
			},
		},
	}
	change(s)
	if _, err := h.client.CoreV1().Services("default").Create(h.Context(), s, metav1.CreateOptions{}); err != nil {
		h.Fatal(err)
	}
	var ports []discoveryv1.EndpointPort
	for i, p := range s.Spec.Ports {
		port := int32(8080 + i)
		ports = append(ports, discoveryv1.EndpointPort{Name: &p.Name, Port: &port, Protocol: &p.Protocol})
	}
	h.endpointsWith(ports, "there")
}

// Where the two ports lead.
var ends = map[string]netip.AddrPort{
	"tcp": netip.MustParseAddrPort("10.244.0.1:8080"),
	"udp": netip.MustParseAddrPort("10.244.0.1:8081"),
}

// at is one of the two ports at an address.
func at(network, ip string) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(ip), map[string]uint16{"tcp": 80, "udp": 53}[network])
}

// known waits until both ports are where they are said to be, for a client that may reach them.
func (h *harness) known(from, ip string) {
	h.Helper()
	for network, end := range ends {
		h.eventually(network+" at "+ip+" leads to the endpoint", func() bool {
			way, err := h.proxy.Way(network, netip.MustParseAddr(from), at(network, ip))
			return err == nil && way.To == end
		})
	}
}

// TestExternalIPs: whoever sends to an address that a Service claims gets to its endpoints, and these see the node.
func TestExternalIPs(t *testing.T) {
	h := start(t)
	h.outside(func(s *corev1.Service) { s.Spec.ExternalIPs = []string{"198.51.100.7", "198.51.100.8"} })
	for _, ip := range []string{"198.51.100.7", "198.51.100.8", "10.96.0.5"} {
		h.known(client, ip)
	}
	for network := range ends {
		way, err := h.proxy.Way(network, netip.MustParseAddr(client), at(network, "198.51.100.7"))
		if err != nil || way.As != h.proxy.opts.IP {
			t.Errorf("%s: the endpoint sees %s, %v", network, way.As, err)
		}
		if way, err := h.proxy.Way(network, netip.MustParseAddr(client), at(network, "198.51.100.9")); err != nil || way.To != at(network, "198.51.100.9") {
			t.Errorf("%s to an address that nobody claims led to %s, %v", network, way.To, err)
		}
	}
	// Given up, it is an address as any other, for what is under way as well.
	way, err := h.proxy.Way("tcp", netip.MustParseAddr(client), at("tcp", "198.51.100.8"))
	if err != nil || !way.Still() {
		t.Fatalf("%+v, %v", way, err)
	}
	api := h.client.CoreV1().Services("default")
	s, err := api.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.Spec.ExternalIPs = s.Spec.ExternalIPs[:1]
	if _, err := api.Update(t.Context(), s, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	h.eventually("the address is given up", func() bool { return !way.Still() })
	h.known(client, "198.51.100.7")
}

// TestSourceRanges: a load balancer's address is silent to whom it is not for; the Service's other addresses are
// for everybody, as with kube-proxy.
func TestSourceRanges(t *testing.T) {
	const balanced, external, friend, stranger = "10.97.0.3", "198.51.100.7", "203.0.113.9", "203.0.114.9"
	h := start(t)
	h.outside(func(s *corev1.Service) {
		s.Spec.Type = corev1.ServiceTypeLoadBalancer
		s.Spec.ExternalIPs = []string{external}
		s.Spec.LoadBalancerSourceRanges = []string{"203.0.113.0/24", "192.0.2.1/32"}
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: balanced}}
	})
	h.known(friend, balanced)
	h.known("192.0.2.1", balanced)
	h.known(stranger, external)
	h.known(stranger, "10.96.0.5")
	for network := range ends {
		for _, from := range []string{stranger, "192.0.2.2", client, "203.0.112.255"} {
			if way, err := h.proxy.Way(network, netip.MustParseAddr(from), at(network, balanced)); !errors.Is(err, podnet.ErrDropped) {
				t.Errorf("%s of %s led to %s, %v; it is not in the ranges", network, from, way.To, err)
			}
		}
	}
	// A connection hears nothing until its owner gives up, and nothing was dialled for it.
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := h.proxy.Dial(ctx, netip.MustParseAddr(stranger), "tcp", balanced+":80"); !errors.Is(err, enough) {
		t.Errorf("a stranger's connection: %v", err)
	}
	if to, err := h.to(friend, "tcp", balanced+":80"); err != nil || to != ends["tcp"].String() {
		t.Errorf("a friend's led to %s, %v", to, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if want := []string{ends["tcp"].String()}; !slices.Equal(h.dialed, want) {
		t.Errorf("dialled were %q", h.dialed)
	}
}
