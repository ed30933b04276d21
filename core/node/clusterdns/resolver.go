package clusterdns

import (
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

// maxAliases is how many external names may lead from one to the next.
const maxAliases = 8

// schema is the specification's version, which dns-version.<zone> says.
const schema = "1.1.0"

// Resolver knows the names of a cluster.
type Resolver struct {
	zone     string // "cluster.local."
	services corelisters.ServiceLister
	slices   discoverylisters.EndpointSliceLister
}

// New returns a resolver of the names below zone ("cluster.local"). Whoever made the informers starts
// them; before they have filled no name is known.
func New(zone string, f informers.SharedInformerFactory) *Resolver {
	return &Resolver{
		zone:     strings.Trim(zone, ".") + ".",
		services: f.Core().V1().Services().Lister(),
		slices:   f.Discovery().V1().EndpointSlices().Lister(),
	}
}

// record is one that answers, of the name that owns it.
type record struct {
	owner string
	body  dnsmessage.ResourceBody
}

// lookup gives the records of a fully qualified name, aliases followed, and whether the name exists.
func (r *Resolver) lookup(name string, kind dnsmessage.Type) (records []record, exists bool) {
	name = strings.ToLower(name)
	for range maxAliases {
		found, alias, known := r.at(name, kind)
		exists = exists || known
		for _, body := range found {
			records = append(records, record{name, body})
		}
		if alias == "" {
			return records, exists
		}
		target, err := dnsmessage.NewName(alias)
		if err != nil {
			return records, exists
		}
		records = append(records, record{name, &dnsmessage.CNAMEResource{CNAME: target}})
		if kind == dnsmessage.TypeCNAME {
			return records, exists
		}
		name = strings.ToLower(alias)
	}
	return nil, true // they lead in a circle: nothing is there
}

// at gives a name's own records, the name that it stands for, and whether it exists.
func (r *Resolver) at(name string, kind dnsmessage.Type) (found []dnsmessage.ResourceBody, alias string, exists bool) {
	if ip, ok := reversed(name); ok {
		names := r.namesOf(ip)
		if kind == dnsmessage.TypePTR {
			found = pointers(names)
		}
		return found, "", len(names) > 0
	}
	inner, ok := strings.CutSuffix(name, "."+r.zone)
	if !ok {
		return nil, "", name == r.zone
	}
	parts := strings.Split(inner, ".")
	n := len(parts)
	switch last := parts[n-1]; {
	case n == 1 && last == "dns-version":
		if kind == dnsmessage.TypeTXT {
			found = append(found, &dnsmessage.TXTResource{TXT: []string{schema}})
		}
		return found, "", true
	case n == 1:
		return nil, "", last == "svc" || last == "pod"
	case last == "pod" && n == 3:
		ips := pod(parts[0])
		return addresses(ips, kind), "", len(ips) > 0
	case last == "svc":
		return r.below(parts[:n-1], kind)
	}
	return nil, "", false
}

// below is a name below svc.<zone>; parts are its labels before that.
func (r *Resolver) below(parts []string, kind dnsmessage.Type) (found []dnsmessage.ResourceBody, alias string, exists bool) {
	n := len(parts)
	namespace := parts[n-1]
	if n == 1 {
		all, _ := r.services.Services(namespace).List(labels.Everything()) // a cache: it has no errors
		return nil, "", len(all) > 0
	}
	s, err := r.services.Services(namespace).Get(parts[n-2])
	if err != nil {
		return nil, "", false
	}
	headless := s.Spec.ClusterIP == corev1.ClusterIPNone
	switch {
	case s.Spec.Type == corev1.ServiceTypeExternalName:
		if n != 2 {
			return nil, "", false
		}
		if ip, err := netip.ParseAddr(s.Spec.ExternalName); err == nil {
			return addresses([]netip.Addr{ip}, kind), "", true
		}
		return nil, strings.TrimSuffix(s.Spec.ExternalName, ".") + ".", true
	case n == 2 && !headless:
		return append(addresses(parse(s.Spec.ClusterIPs), kind), r.allServers(s, kind)...), "", true
	case n == 2:
		var ips []netip.Addr
		for e := range r.endpoints(s) {
			ips = append(ips, parse(e.Addresses)...)
		}
		return append(addresses(ips, kind), r.allServers(s, kind)...), "", true
	case n == 3 && headless && !strings.HasPrefix(parts[0], "_"):
		var ips []netip.Addr
		for e := range r.endpoints(s) {
			ips = append(ips, parse(slices.DeleteFunc(slices.Clone(e.Addresses), func(a string) bool { return hostname(e, a) != parts[0] }))...)
		}
		return addresses(ips, kind), "", len(ips) > 0
	case n == 3:
		protocol, ok := strings.CutPrefix(parts[0], "_")
		return nil, "", ok && slices.ContainsFunc(r.servers(s, "", protocol), func(server) bool { return true })
	case n == 4:
		port, p := strings.CutPrefix(parts[0], "_")
		protocol, q := strings.CutPrefix(parts[1], "_")
		if !p || !q || port == "" {
			return nil, "", false
		}
		servers := r.servers(s, port, protocol)
		if kind == dnsmessage.TypeSRV {
			found = serviceRecords(servers)
		}
		return found, "", len(servers) > 0
	}
	return nil, "", false
}

// endpoints iterates over those of a headless Service that are ready; the controller says so of all
// where publishNotReadyAddresses is set.
func (r *Resolver) endpoints(s *corev1.Service) func(yield func(discoveryv1.Endpoint) bool) {
	return func(yield func(discoveryv1.Endpoint) bool) {
		for _, slice := range r.slicesOf(s) {
			for _, e := range slice.Endpoints {
				if ready := e.Conditions.Ready; (ready == nil || *ready) && !yield(e) {
					return
				}
			}
		}
	}
}

func (r *Resolver) slicesOf(s *corev1.Service) []*discoveryv1.EndpointSlice {
	all, _ := r.slices.EndpointSlices(s.Namespace).List(labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: s.Name}))
	return all
}

// hostname is an endpoint's: its own, or else its address with dashes.
func hostname(e discoveryv1.Endpoint, address string) string {
	if e.Hostname != nil && *e.Hostname != "" {
		return strings.ToLower(*e.Hostname)
	}
	return strings.NewReplacer(".", "-", ":", "-").Replace(address)
}

// pod gives the address that a name like 10-244-1-2 is made of.
func pod(label string) []netip.Addr {
	for _, sign := range []string{".", ":"} {
		if ip, err := netip.ParseAddr(strings.ReplaceAll(label, "-", sign)); err == nil {
			return []netip.Addr{ip}
		}
	}
	return nil
}

func parse(texts []string) (list []netip.Addr) {
	for _, text := range texts {
		if ip, err := netip.ParseAddr(text); err == nil {
			list = append(list, ip)
		}
	}
	return list
}

// addresses are the records of that kind, in order and each once.
func addresses(ips []netip.Addr, kind dnsmessage.Type) (found []dnsmessage.ResourceBody) {
	slices.SortFunc(ips, netip.Addr.Compare)
	for _, ip := range slices.Compact(ips) {
		switch {
		case kind == dnsmessage.TypeA && ip.Is4():
			found = append(found, &dnsmessage.AResource{A: ip.As4()})
		case kind == dnsmessage.TypeAAAA && ip.Is6():
			found = append(found, &dnsmessage.AAAAResource{AAAA: ip.As16()})
		}
	}
	return found
}
