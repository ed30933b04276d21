package realnode

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Options of Run.
type Options struct {
	// Client has the owner's rights.
	Client kubernetes.Interface
	// Router is where the nodes' addresses are given their way.
	Router *egress.Router
	// Open opens a stream at the hub; it fails while there is no tunnel.
	Open func(tunnel.Header) (net.Conn, error)
	// Dialler is the certificate by which nodes know that the cluster dials, CA the cluster's.
	Dialler tls.Certificate
	CA      *x509.CertPool
	// Pods is what the nodes' pod CIDRs are cut from, PodMaskSize bits each; Reserved are other addresses
	// of the cluster's own. No node can claim one of either for its machine, and of Pods only what
	// the controller manager could have given it (core/confine).
	Pods        netip.Prefix
	PodMaskSize int
	Reserved    []netip.Prefix
	// Trace is what nodes tell their steps to; nil asks no node.
	Trace *trace.Bus
	// DialPod connects from an address, which may be invalid, to an in-tab pod; the error is
	// nodedial.ErrDropped, wrapped, where a firewall would say nothing. Nil lets real nodes reach none.
	DialPod func(ctx context.Context, from netip.Addr, to netip.AddrPort) (net.Conn, error)
}

// Server is what real nodes have of a cluster.
type Server struct {
	options Options
	routes  *routes
	pods    podDials
}

// New makes a Server, which knows no node before it runs.
func New(o Options) *Server { return &Server{options: o, routes: newRoutes(o)} }

func (o *Options) plan() confine.Plan {
	return confine.Plan{Cluster: []netip.Prefix{o.Pods}, MaskSize: o.PodMaskSize}
}

// own are the cluster's own addresses.
func (o *Options) own() []netip.Prefix { return append(slices.Clone(o.Reserved), o.Pods) }

// Run serves real nodes until ctx is done.
func (s *Server) Run(ctx context.Context) error {
	o, r := s.options, s.routes
	// All Nodes: those of the tab have names, addresses and pods that no machine may claim.
	nodes := informers.NewSharedInformerFactory(o.Client, 0)
	requests := informers.NewSharedInformerFactory(o.Client, 0)

	heard := newListeners(ctx, r)
	defer heard.wait()
	defer r.clear()
	v, stop, err := newVolumes(ctx, o.Client)
	if err != nil {
		return err
	}
	defer stop()
	a := &approver{client: o.Client, own: o.own(), has: r.whose, later: make(chan struct{}, 1)}
	tell := newAnnouncer(o.Open)
	informer := nodes.Core().V1().Nodes()
	a.nodes = informer.Lister()
	r.gather()
	handler, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			r.update(obj.(*corev1.Node))
			heard.update(obj.(*corev1.Node))
			tell.update(obj.(*corev1.Node))
			a.nodeChanged()
			forget(ctx, o.Client, v, obj.(*corev1.Node))
		},
		UpdateFunc: func(_, obj any) {
			r.update(obj.(*corev1.Node))
			heard.update(obj.(*corev1.Node))
			tell.update(obj.(*corev1.Node))
			a.nodeChanged()
			forget(ctx, o.Client, v, obj.(*corev1.Node))
		},
		DeleteFunc: func(obj any) {
			if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				r.remove(name)
				heard.remove(name)
				tell.remove(name)
				v.gone(name)
				a.nodeGone(name)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("watch nodes: %w", err)
	}
	csrs := requests.Certificates().V1().CertificateSigningRequests()
	a.requests = csrs.Lister()
	if _, err := csrs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { a.nodeChanged() },
		DeleteFunc: func(any) { a.nodeChanged() }, // a name may be free
	}); err != nil {
		return fmt.Errorf("watch certificate signing requests: %w", err)
	}
	v.factory.WaitForCacheSyncWithContext(ctx) // what a node has is known before it is found gone
	nodes.StartWithContext(ctx)
	requests.StartWithContext(ctx)
	defer nodes.Shutdown()
	defer requests.Shutdown()
	if cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		r.gathered()
	}
	requests.WaitForCacheSync(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { v.run(ctx) })
	running.Go(func() { tell.run(ctx) })
	a.run(ctx)
	v.queue.ShutDown()
	running.Wait()
	return nil
}
