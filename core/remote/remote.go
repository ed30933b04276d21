package remote

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/remote/mark"
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
	// Pods is what the nodes' pod CIDRs are cut from; Reserved are other addresses of the cluster's
	// own. No node can claim one of either for its machine.
	Pods     netip.Prefix
	Reserved []netip.Prefix
}

// Run serves real nodes until ctx is done.
func Run(ctx context.Context, o Options) error {
	nodes := informers.NewSharedInformerFactoryWithOptions(o.Client, 0,
		informers.WithTweakListOptions(func(l *metav1.ListOptions) { l.LabelSelector = mark.KindLabel + "=" + mark.Real }))
	requests := informers.NewSharedInformerFactoryWithOptions(o.Client, 0,
		informers.WithTweakListOptions(func(l *metav1.ListOptions) { l.FieldSelector = "spec.signerName=" + servingSigner }))

	r := &routes{options: o, byNode: map[string]*nodeRoutes{}}
	defer r.clear()
	v, stop, err := newVolumes(ctx, o.Client)
	if err != nil {
		return err
	}
	defer stop()
	a := &approver{client: o.Client, later: make(chan struct{}, 1)}
	informer := nodes.Core().V1().Nodes()
	a.nodes = informer.Lister()
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			r.update(obj.(*corev1.Node))
			a.nodeChanged()
			forget(ctx, o.Client, v, obj.(*corev1.Node))
		},
		UpdateFunc: func(_, obj any) {
			r.update(obj.(*corev1.Node))
			a.nodeChanged()
			forget(ctx, o.Client, v, obj.(*corev1.Node))
		},
		DeleteFunc: func(obj any) {
			if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				r.remove(name)
				v.gone(name)
			}
		},
	}); err != nil {
		return fmt.Errorf("watch real nodes: %w", err)
	}
	csrs := requests.Certificates().V1().CertificateSigningRequests()
	a.requests = csrs.Lister()
	if _, err := csrs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { a.nodeChanged() },
	}); err != nil {
		return fmt.Errorf("watch certificate signing requests: %w", err)
	}
	v.factory.WaitForCacheSyncWithContext(ctx) // what a node has is known before it is found gone
	nodes.StartWithContext(ctx)
	requests.StartWithContext(ctx)
	defer nodes.Shutdown()
	defer requests.Shutdown()
	nodes.WaitForCacheSync(ctx.Done())
	requests.WaitForCacheSync(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { v.run(ctx) })
	a.run(ctx)
	v.queue.ShutDown()
	running.Wait()
	return nil
}
