package remote

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// What a real node writes on its Node object.
const (
	// KindLabel tells real nodes (KindReal) from in-tab nodes, which have none.
	KindLabel = "node.tabernetes.internal/kind"
	KindReal  = "real"
	// RouteAnnotation is the node's route at the hub, tunnel.Welcome.Route.
	RouteAnnotation = "node.tabernetes.internal/route"
	// LeftAnnotation says that the machine is no node any more; any value.
	LeftAnnotation = "node.tabernetes.internal/left"
	// TaintKey keeps pods that do not tolerate it off real nodes, as the value KindReal says.
	TaintKey = "node.tabernetes.internal/kind"
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
		informers.WithTweakListOptions(func(l *metav1.ListOptions) { l.LabelSelector = KindLabel + "=" + KindReal }))
	requests := informers.NewSharedInformerFactoryWithOptions(o.Client, 0,
		informers.WithTweakListOptions(func(l *metav1.ListOptions) { l.FieldSelector = "spec.signerName=" + servingSigner }))

	r := &routes{options: o, byNode: map[string]*nodeRoutes{}}
	defer r.clear()
	a := &approver{client: o.Client, later: make(chan struct{}, 1)}
	informer := nodes.Core().V1().Nodes()
	a.nodes = informer.Lister()
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			r.update(obj.(*corev1.Node))
			a.nodeChanged()
			forget(ctx, o.Client, obj.(*corev1.Node))
		},
		UpdateFunc: func(_, obj any) {
			r.update(obj.(*corev1.Node))
			a.nodeChanged()
			forget(ctx, o.Client, obj.(*corev1.Node))
		},
		DeleteFunc: func(obj any) {
			if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				r.remove(name)
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
	nodes.StartWithContext(ctx)
	requests.StartWithContext(ctx)
	defer nodes.Shutdown()
	defer requests.Shutdown()
	nodes.WaitForCacheSync(ctx.Done())
	requests.WaitForCacheSync(ctx.Done())
	a.run(ctx)
	return nil
}
