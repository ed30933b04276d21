package ingress

import (
	"cmp"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
)

// backend is a Service's port, as an Ingress names it. The zero value is none.
type backend struct {
	namespace, service string
	port               networkingv1.ServiceBackendPort
	of                 string // the Ingress, for people
	plain              bool   // HTTP stays HTTP where there is a certificate, too
}

// route is one path of a host.
type route struct {
	path  string
	exact bool
	to    backend
}

// certificate is a Secret with which a host is served.
type certificate struct{ namespace, secret string }

// routes are what all Ingresses of the class say together.
type routes struct {
	hosts    map[string][]route // by host; "*.example.com" for one label more, "" for every host
	fallback backend            // where nothing matches
	certs    map[string]certificate
}

// Bounds of what is routed: what is beyond them is left out, oldest first in.
const (
	maxRoutes = 20000
	maxHosts  = 5000
)

// plainAnnotation, with the value false, keeps an Ingress from leading HTTP to HTTPS: ingress-nginx' name for it, which
// manifests have.
const plainAnnotation = "nginx.ingress.kubernetes.io/ssl-redirect"

// newRoutes puts Ingresses together. Where two say the same, the older one counts, then the first by name.
func newRoutes(all []*networkingv1.Ingress) *routes {
	r := &routes{hosts: map[string][]route{}, certs: map[string]certificate{}}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *networkingv1.Ingress) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	count := 0
	for _, ing := range all {
		own := func(b *networkingv1.IngressBackend) backend {
			to := backend{namespace: ing.Namespace, of: ing.Namespace + "/" + ing.Name, plain: ing.Annotations[plainAnnotation] == "false"}
			if b != nil && b.Service != nil {
				to.service, to.port = b.Service.Name, b.Service.Port
			}
			return to
		}
		if ing.Spec.DefaultBackend != nil && r.fallback == (backend{}) {
			r.fallback = own(ing.Spec.DefaultBackend)
		}
		for _, rule := range ing.Spec.Rules {
			host := strings.ToLower(rule.Host)
			if _, known := r.hosts[host]; !known && len(r.hosts) >= maxHosts {
				continue
			}
			if rule.HTTP == nil {
				// A host without paths: all of it to the Ingress's default backend.
				if ing.Spec.DefaultBackend != nil && count < maxRoutes {
					r.hosts[host] = append(r.hosts[host], route{path: "/", to: own(ing.Spec.DefaultBackend)})
					count++
				}
				continue
			}
			for _, p := range rule.HTTP.Paths {
				if count >= maxRoutes {
					break
				}
				at := route{path: cmp.Or(p.Path, "/"), to: own(&p.Backend)}
				at.exact = p.PathType != nil && *p.PathType == networkingv1.PathTypeExact
				r.hosts[host] = append(r.hosts[host], at)
				count++
			}
		}
		for _, tls := range ing.Spec.TLS {
			for _, host := range tls.Hosts {
				host = strings.ToLower(host)
				if _, taken := r.certs[host]; !taken && tls.SecretName != "" && len(r.certs) < maxHosts {
					r.certs[host] = certificate{ing.Namespace, tls.SecretName}
				}
			}
		}
	}
	for _, paths := range r.hosts {
		// Stable: of two that are the same, the older one's comes first.
		slices.SortStableFunc(paths, func(a, b route) int {
			if a.exact != b.exact && a.path == b.path {
				return map[bool]int{true: -1, false: 1}[a.exact]
			}
			return cmp.Compare(len(b.path), len(a.path))
		})
	}
	return r
}

// find is the backend of a request; false if nothing is said of it. A host is looked for by its name, then
// by a wildcard, then among rules of every host; only the first of these that has rules is asked.
func (r *routes) find(host, path string) (backend, bool) {
	for _, key := range keys(host) {
		paths, ok := r.hosts[key]
		if !ok {
			continue
		}
		// An exact path goes before any prefix.
		for _, p := range paths {
			if p.exact && p.path == path {
				return p.to, true
			}
		}
		for _, p := range paths {
			if !p.exact && hasPrefix(path, p.path) {
				return p.to, true
			}
		}
		break
	}
	return r.fallback, r.fallback != backend{}
}

// keys are what a host is known as, the most special first. A wildcard stands for exactly one label.
func keys(host string) []string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, rest, ok := strings.Cut(host, "."); ok && rest != "" {
		return []string{host, "*." + rest, ""}
	}
	return []string{host, ""}
}

// hasPrefix compares element by element, as pathType Prefix is defined; a slash at the end means nothing.
func hasPrefix(path, prefix string) bool {
	prefix = strings.TrimSuffix(prefix, "/")
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/')
}
