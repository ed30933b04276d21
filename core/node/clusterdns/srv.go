package clusterdns

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// server is what an SRV record says.
type server struct {
	name string
	port uint16
}

// servers are those of a Service's port by name and protocol, each "" for any.
func (r *Resolver) servers(s *corev1.Service, port, protocol string) (list []server) {
	own := s.Name + "." + s.Namespace + ".svc." + r.zone
	fits := func(name string, p corev1.Protocol) bool {
		return (port == "" || strings.EqualFold(port, name)) && (protocol == "" || strings.EqualFold(protocol, string(p)))
	}
	if s.Spec.ClusterIP != corev1.ClusterIPNone {
		for _, p := range s.Spec.Ports {
			if fits(p.Name, p.Protocol) {
				list = append(list, server{own, uint16(p.Port)})
			}
		}
		return list
	}
	for _, slice := range r.slicesOf(s) {
		for _, p := range slice.Ports {
			if p.Port == nil || p.Protocol == nil || p.Name == nil || !fits(*p.Name, *p.Protocol) {
				continue
			}
			for _, e := range slice.Endpoints {
				if ready := e.Conditions.Ready; ready != nil && !*ready {
					continue
				}
				for _, a := range e.Addresses {
					list = append(list, server{hostname(e, a) + "." + own, uint16(*p.Port)})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b server) int { return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.port, b.port)) })
	return slices.Compact(list)
}

// allServers are a Service's SRV records where its own name is asked for them, as CoreDNS answers.
func (r *Resolver) allServers(s *corev1.Service, kind dnsmessage.Type) []dnsmessage.ResourceBody {
	if kind != dnsmessage.TypeSRV {
		return nil
	}
	return serviceRecords(r.servers(s, "", ""))
}

func serviceRecords(servers []server) (found []dnsmessage.ResourceBody) {
	for _, s := range servers {
		if target, err := dnsmessage.NewName(s.name); err == nil {
			found = append(found, &dnsmessage.SRVResource{Priority: 0, Weight: uint16(100 / len(servers)), Port: s.port, Target: target})
		}
	}
	return found
}

// reversed gives the address of a name like 1.0.96.10.in-addr.arpa.
func reversed(name string) (netip.Addr, bool) {
	if inner, ok := strings.CutSuffix(name, ".in-addr.arpa."); ok {
		parts := strings.Split(inner, ".")
		slices.Reverse(parts)
		ip, err := netip.ParseAddr(strings.Join(parts, "."))
		return ip, err == nil && ip.Is4()
	}
	inner, ok := strings.CutSuffix(name, ".ip6.arpa.")
	if !ok || len(inner) != 63 {
		return netip.Addr{}, false
	}
	digits := strings.Split(inner, ".")
	slices.Reverse(digits)
	if len(digits) != 32 {
		return netip.Addr{}, false
	}
	var b [16]byte
	for i, d := range digits {
		n, err := strconv.ParseUint(d, 16, 4)
		if err != nil {
			return netip.Addr{}, false
		}
		b[i/2] = b[i/2]<<4 | byte(n)
	}
	return netip.AddrFrom16(b), true
}

// namesOf are the names of an address: of the Service whose cluster IP it is, and of endpoints of
// headless Services.
func (r *Resolver) namesOf(ip netip.Addr) (names []string) {
	all, _ := r.services.List(labels.Everything())
	for _, s := range all {
		own := s.Name + "." + s.Namespace + ".svc." + r.zone
		if slices.Contains(parse(s.Spec.ClusterIPs), ip) {
			return []string{own}
		}
		if s.Spec.ClusterIP != corev1.ClusterIPNone {
			continue
		}
		for e := range r.endpoints(s) {
			for _, a := range e.Addresses {
				if a == ip.String() {
					names = append(names, hostname(e, a)+"."+own)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func pointers(names []string) (found []dnsmessage.ResourceBody) {
	for _, name := range names {
		if n, err := dnsmessage.NewName(name); err == nil {
			found = append(found, &dnsmessage.PTRResource{PTR: n})
		}
	}
	return found
}
