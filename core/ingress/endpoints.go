package ingress

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// endpointsOf are the addresses that serve a backend; none if there is no such Service or port. Where no endpoint is
// ready, those that end and serve meanwhile are taken, as kube-proxy does. known says that there is such a port.
func (c *Controller) endpointsOf(b backend) (addresses []string, known bool) {
	service, err := c.services.Services(b.namespace).Get(b.service)
	if err != nil || service.Spec.Type == corev1.ServiceTypeExternalName {
		return nil, false
	}
	var port *corev1.ServicePort
	for i := range service.Spec.Ports {
		p := &service.Spec.Ports[i]
		if (b.port.Name != "" && p.Name == b.port.Name || b.port.Name == "" && p.Port == b.port.Number) &&
			(p.Protocol == "" || p.Protocol == corev1.ProtocolTCP) {
			port = p
		}
	}
	if port == nil {
		return nil, false
	}
	list, err := c.endpoints.EndpointSlices(b.namespace).List(labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: b.service}))
	if err != nil {
		return nil, false
	}
	var ending []string
	for _, slice := range list {
		for _, p := range slice.Ports {
			if p.Port == nil || p.Name == nil || *p.Name != port.Name {
				continue
			}
			for _, e := range slice.Endpoints {
				to := &addresses
				switch is := e.Conditions; {
				case is.Ready == nil || *is.Ready:
				case is.Serving != nil && *is.Serving && is.Terminating != nil && *is.Terminating:
					to = &ending
				default:
					continue
				}
				for _, ip := range e.Addresses {
					if ip == c.opts.Address.String() {
						continue // a request would go round for ever
					}
					*to = append(*to, net.JoinHostPort(ip, fmt.Sprint(*p.Port)))
				}
			}
		}
	}
	if len(addresses) == 0 {
		addresses = ending
	}
	slices.Sort(addresses)
	return slices.Compact(addresses), true
}

// Upstream's EndpointSlice controller lays a Service aside for a second whenever it has written slices that it has not
// seen come back yet ("EndpointSlice informer cache is out of date"). Pods may be Ready, and a rollout through, up to
// that long before anybody is told of an endpoint.
const endpointsWithin = 2 * time.Second

// awaitEndpoints are the addresses that serve a backend; a request waits for the first one.
func (c *Controller) awaitEndpoints(ctx context.Context, b backend) []string {
	ctx, cancel := context.WithTimeout(ctx, endpointsWithin)
	defer cancel()
	for {
		next := c.arrivals.wait() // before it is looked at: none is missed
		addresses, known := c.endpointsOf(b)
		if len(addresses) > 0 || !known {
			return addresses
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil
		}
	}
}

// arrivals tell everybody who waits that endpoints have changed.
type arrivals struct {
	mu   sync.Mutex
	next chan struct{}
}

func (a *arrivals) wait() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}

func (a *arrivals) tell() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.next)
	a.next = make(chan struct{})
}
