package serviceproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	upstream "k8s.io/kubernetes/pkg/proxy"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Options describe the proxy of one node; all without a default are required.
type Options struct {
	// Node is the node's name, and IP the address on which its node ports are open.
	Node string
	IP   netip.Addr
	// Informers are those of the cluster; whoever made them starts them.
	Informers informers.SharedInformerFactory
	// Dial makes connections to anything that is no Service.
	Dial podnet.Dialer
	// Pods is the range of all pods: clients from elsewhere are outside the cluster. Default: all clients are.
	Pods netip.Prefix
	// Allow says whether a pod at from may reach to, which sees it as as; the error is
	// podnet.ErrDropped, wrapped. Default: everybody reaches everybody.
	Allow func(network string, from, as netip.Addr, to netip.AddrPort) error
	// Trace is told when a change is where connections are made. Default: nobody is.
	Trace *trace.Bus
}

// Proxy is the way of one node's pods to Services.
type Proxy struct {
	opts    Options
	changed chan struct{} // a change waits to be applied

	services        upstream.ServicePortMap
	endpoints       upstream.EndpointsMap
	serviceChanges  *upstream.ServiceChangeTracker
	endpointChanges *upstream.EndpointsChangeTracker
	told            *changes

	table    atomic.Pointer[table]
	affinity affinity
}

// New returns a proxy that knows no Service before it runs.
func New(o Options) *Proxy {
	p := &Proxy{
		opts:            o,
		changed:         make(chan struct{}, 1),
		services:        upstream.ServicePortMap{},
		endpoints:       upstream.EndpointsMap{},
		serviceChanges:  upstream.NewServiceChangeTracker(corev1.IPv4Protocol, nil, nil),
		endpointChanges: upstream.NewEndpointsChangeTracker(corev1.IPv4Protocol, o.Node, nil, nil),
		told:            newChanges(o.Trace, o.Node),
	}
	p.table.Store(&table{})
	return p
}

// Run follows Services and endpoints until ctx is done, and then closes the node ports.
func (p *Proxy) Run(ctx context.Context) error {
	stop, err := p.follow()
	if err != nil {
		return fmt.Errorf("proxy of node %s: %w", p.opts.Node, err)
	}
	defer stop()
	ports := &nodePorts{proxy: p, open: map[int]net.Listener{}}
	defer ports.close()
	health := &healthPorts{proxy: p, open: map[types.NamespacedName]*healthPort{}}
	defer health.close()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.changed:
			taken := p.told.take()
			p.services.Update(p.serviceChanges)
			p.endpoints.Update(p.endpointChanges)
			t := newTable(p.opts.Node, p.services, p.endpoints)
			p.table.Store(t)
			ports.set(ctx, t)
			health.set(ctx, p.services.HealthCheckNodePorts(), p.endpoints.LocalReadyEndpoints())
			p.told.applied(taken, t)
		}
	}
}

// follow feeds the trackers; stop ends that.
func (p *Proxy) follow() (stop func(), err error) {
	nudge := func(needed bool) {
		if !needed {
			return
		}
		select {
		case p.changed <- struct{}{}:
		default: // one waits already
		}
	}
	services := p.opts.Informers.Core().V1().Services().Informer()
	a, err := services.AddEventHandler(handlers(func(before, now *corev1.Service) {
		needed := p.serviceChanges.Update(before, now)
		if needed {
			p.told.ofService(before, now)
		}
		nudge(needed)
	}))
	if err != nil {
		return nil, err
	}
	slices := p.opts.Informers.Discovery().V1().EndpointSlices().Informer()
	b, err := slices.AddEventHandler(handlers(func(before, now *discoveryv1.EndpointSlice) {
		changed := now
		if now == nil {
			changed = before
		}
		needed := p.endpointChanges.EndpointSliceUpdate(changed, now == nil)
		if needed {
			p.told.ofSlice(before, now)
		}
		nudge(needed)
	}))
	if err != nil {
		return nil, errors.Join(err, services.RemoveEventHandler(a))
	}
	return sync.OnceFunc(func() {
		// Both informers outlive this: there is nobody to tell of a handler that has gone.
		_ = services.RemoveEventHandler(a)
		_ = slices.RemoveEventHandler(b)
	}), nil
}

// handlers makes an informer's three events one: what an object was and what it is, nil for nothing.
func handlers[T any](event func(before, now *T)) cache.ResourceEventHandler {
	of := func(obj any) *T {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = gone.Obj
		}
		t, _ := obj.(*T)
		return t
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { event(nil, of(obj)) },
		UpdateFunc: func(before, now any) { event(of(before), of(now)) },
		DeleteFunc: func(obj any) { event(of(obj), nil) },
	}
}
