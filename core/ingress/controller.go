package ingress

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/reconcile"
)

// ControllerName is what IngressClasses that are served here name.
const ControllerName = "tabernetes.internal/ingress-controller"

// Options are all required.
type Options struct {
	// Client writes the status of Ingresses and reads the Secrets that they name.
	Client kubernetes.Interface
	// Services are informers of Services and EndpointSlices, Ingresses of Ingresses and IngressClasses;
	// whoever made them starts them.
	Services, Ingresses informers.SharedInformerFactory
	// Address is where requests come to, which the Ingresses' status says.
	Address netip.Addr
	// Dial connects to an endpoint, from Address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Events is told what of an Ingress is not served.
	Events record.EventRecorder
}

// Controller leads requests by Ingresses. Its methods may be called from any goroutine.
type Controller struct {
	opts      Options
	ingresses networkinglisters.IngressLister
	classes   networkinglisters.IngressClassLister
	services  corelisters.ServiceLister
	endpoints discoverylisters.EndpointSliceLister
	informers []cache.SharedIndexInformer
	queue     workqueue.TypedRateLimitingInterface[string]
	routes    atomic.Pointer[routes]
	arrivals  arrivals
	refused   map[string]string // by Ingress, what was said of it last; Run's own

	mu     sync.Mutex
	certs  map[certificate]secretCertificate
	fake   *tls.Certificate // for hosts of which nothing is said
	failed error
}

// New asks for its informers: whoever has made the factories starts them afterwards.
func New(o Options) *Controller {
	i, cl := o.Ingresses.Networking().V1().Ingresses(), o.Ingresses.Networking().V1().IngressClasses()
	s, e := o.Services.Core().V1().Services(), o.Services.Discovery().V1().EndpointSlices()
	c := &Controller{
		opts: o, ingresses: i.Lister(), classes: cl.Lister(), services: s.Lister(), endpoints: e.Lister(),
		informers: []cache.SharedIndexInformer{i.Informer(), cl.Informer(), s.Informer(), e.Informer()},
		certs:     map[certificate]secretCertificate{},
		arrivals:  arrivals{next: make(chan struct{})},
		refused:   map[string]string{},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "ingress"}),
	}
	c.routes.Store(newRoutes(nil))
	return c
}

// Run keeps routes and statuses until ctx is done.
func (c *Controller) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, c.queue.ShutDown)()
	all := func() {
		list, _ := c.ingresses.List(labels.Everything()) // of a cache: it cannot fail
		for _, ing := range list {
			c.queue.Add(ing.Namespace + "/" + ing.Name)
		}
	}
	add := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			c.queue.Add(key)
		}
	}
	a, err := c.informers[0].AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, now any) { add(now) }, DeleteFunc: add,
	})
	if err != nil {
		return fmt.Errorf("ingress: %w", err)
	}
	defer func() { _ = c.informers[0].RemoveEventHandler(a) }()
	b, err := c.informers[1].AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { all() }, UpdateFunc: func(any, any) { all() }, DeleteFunc: func(any) { all() },
	})
	if err != nil {
		return fmt.Errorf("ingress: %w", err)
	}
	defer func() { _ = c.informers[1].RemoveEventHandler(b) }()
	// Whether a backend is served is the Service's to say, too.
	d, err := c.informers[2].AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: c.ofService(add), UpdateFunc: func(_, now any) { c.ofService(add)(now) },
	})
	if err != nil {
		return fmt.Errorf("ingress: %w", err)
	}
	defer func() { _ = c.informers[2].RemoveEventHandler(d) }()
	e, err := c.informers[3].AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { c.arrivals.tell() }, UpdateFunc: func(any, any) { c.arrivals.tell() },
	})
	if err != nil {
		return fmt.Errorf("ingress: %w", err)
	}
	defer func() { _ = c.informers[3].RemoveEventHandler(e) }()
	if !cache.WaitForCacheSync(ctx.Done(), a.HasSynced, b.HasSynced, d.HasSynced, e.HasSynced) {
		return nil
	}
	sync := func(ctx context.Context, key string) error {
		c.route()
		c.refuse(key)
		return c.tell(ctx, key)
	}
	reconcile.Each(ctx, c.queue, sync, func(err error, key string) {
		klog.FromContext(ctx).Error(err, "Giving an Ingress its address failed", "ingress", key)
	})
	return nil
}

// ours says whether an Ingress is of a class that names this controller.
func (c *Controller) ours(ing *networkingv1.Ingress) bool {
	if ing.DeletionTimestamp != nil {
		return false
	}
	class, err := c.classes.Get(className(ing))
	return err == nil && class.Spec.Controller == ControllerName
}

// className is the class that an Ingress names, by the field or the annotation; "" for none.
func className(ing *networkingv1.Ingress) string {
	if ing.Spec.IngressClassName != nil {
		return *ing.Spec.IngressClassName
	}
	return ing.Annotations[networkingv1beta1.AnnotationIngressClass] // the API asks controllers to honour it still
}

// route reads all Ingresses anew.
func (c *Controller) route() {
	list, _ := c.ingresses.List(labels.Everything())
	r := newRoutes(slices.DeleteFunc(list, func(ing *networkingv1.Ingress) bool { return !c.ours(ing) }))
	c.routes.Store(r)
	named := map[certificate]bool{}
	for _, cert := range r.certs {
		named[cert] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for cert := range c.certs {
		if !named[cert] {
			delete(c.certs, cert)
		}
	}
}

// tell writes the address into an Ingress's status, and takes it out of one that is another's now.
func (c *Controller) tell(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil // no Ingress has such a key
	}
	ing, err := c.ingresses.Ingresses(namespace).Get(name)
	if err != nil || ing.DeletionTimestamp != nil {
		return nil // gone
	}
	want := []networkingv1.IngressLoadBalancerIngress{{IP: c.opts.Address.String()}}
	has := ing.Status.LoadBalancer.Ingress
	told := len(has) == 1 && has[0].IP == want[0].IP && has[0].Hostname == ""
	switch {
	case c.ours(ing) == told:
		return nil
	case told:
		want = nil
	}
	ing = ing.DeepCopy()
	ing.Status.LoadBalancer.Ingress = want
	_, err = c.opts.Client.NetworkingV1().Ingresses(namespace).UpdateStatus(ctx, ing, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
