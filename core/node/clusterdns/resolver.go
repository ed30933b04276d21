package clusterdns

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

// maxAliases is how many external names may lead from one to the next.
const maxAliases = 8

// Resolver answers addresses of names. It is a podnet.Resolver.
type Resolver struct {
	suffix   string // ".cluster.local."
	services corelisters.ServiceLister
	slices   discoverylisters.EndpointSliceLister
}

// New returns a resolver of the names below zone ("cluster.local"). Whoever made the informers starts
// them; before they have filled no name is known.
func New(zone string, f informers.SharedInformerFactory) *Resolver {
	return &Resolver{
		suffix:   "." + strings.Trim(zone, ".") + ".",
		services: f.Core().V1().Services().Lister(),
		slices:   f.Discovery().V1().EndpointSlices().Lister(),
	}
}

// LookupHost gives the addresses of a fully qualified name. Of one that does not exist, and of all
// outside the cluster, the error is a *net.DNSError with IsNotFound.
func (r *Resolver) LookupHost(ctx context.Context, host string) ([]string, error) {
	name := strings.ToLower(strings.TrimSuffix(host, ".")) + "."
	for range maxAliases {
		addresses, alias := r.lookup(name)
		if alias == "" {
			if len(addresses) == 0 {
				break
			}
			return addresses, nil
		}
		name = strings.ToLower(strings.TrimSuffix(alias, ".")) + "."
		if ip, err := netip.ParseAddr(strings.TrimSuffix(name, ".")); err == nil {
			return []string{ip.String()}, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: strings.TrimSuffix(host, "."), IsNotFound: true}
}

// lookup gives a name's addresses, or the name that it stands for.
func (r *Resolver) lookup(name string) (addresses []string, alias string) {
	inner, ok := strings.CutSuffix(name, r.suffix)
	if !ok {
		return nil, ""
	}
	parts := strings.Split(inner, ".")
	n := len(parts)
	switch {
	case n == 3 && parts[n-1] == "svc":
		return r.service(parts[1], parts[0])
	case n == 4 && parts[n-1] == "svc":
		return r.endpoints(parts[2], parts[1], parts[0]), ""
	case n == 3 && parts[n-1] == "pod":
		return pod(parts[0]), ""
	}
	return nil, ""
}

func (r *Resolver) service(namespace, name string) (addresses []string, alias string) {
	s, err := r.services.Services(namespace).Get(name)
	switch {
	case err != nil:
		return nil, ""
	case s.Spec.Type == corev1.ServiceTypeExternalName:
		return nil, s.Spec.ExternalName
	case s.Spec.ClusterIP == corev1.ClusterIPNone:
		return r.endpoints(namespace, name, ""), ""
	}
	return slices.Clone(s.Spec.ClusterIPs), ""
}

// endpoints gives the addresses of a headless Service, or of the one endpoint of that host name.
func (r *Resolver) endpoints(namespace, service, hostname string) (addresses []string) {
	s, err := r.services.Services(namespace).Get(service)
	if err != nil || s.Spec.ClusterIP != corev1.ClusterIPNone {
		return nil
	}
	all, err := r.slices.EndpointSlices(namespace).List(labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service}))
	if err != nil {
		return nil // a lister of a cache: it cannot be
	}
	for _, slice := range all {
		for _, e := range slice.Endpoints {
			// The controller says ready of all endpoints where publishNotReadyAddresses is set.
			if ready := e.Conditions.Ready; ready != nil && !*ready {
				continue
			}
			if hostname != "" && !called(e, hostname) {
				continue
			}
			addresses = append(addresses, e.Addresses...)
		}
	}
	slices.Sort(addresses)
	return slices.Compact(addresses)
}

// called says whether an endpoint has the host name: its own, or else its address with dashes.
func called(e discoveryv1.Endpoint, hostname string) bool {
	if e.Hostname != nil && *e.Hostname != "" {
		return strings.EqualFold(*e.Hostname, hostname)
	}
	return slices.ContainsFunc(e.Addresses, func(a string) bool {
		return strings.NewReplacer(".", "-", ":", "-").Replace(a) == hostname
	})
}

// pod gives the address that a name like 10-244-1-2 is made of.
func pod(label string) []string {
	for _, sign := range []string{".", ":"} {
		if ip, err := netip.ParseAddr(strings.ReplaceAll(label, "-", sign)); err == nil {
			return []string{ip.String()}
		}
	}
	return nil
}
