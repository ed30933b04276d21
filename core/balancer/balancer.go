package balancer

import (
	"context"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/reconcile"
)

// Options are all required, unless a default is told.
type Options struct {
	// Client writes the status of Services.
	Client kubernetes.Interface
	// Informers are those of the cluster; whoever made them starts them.
	Informers informers.SharedInformerFactory
	// Events is told of what fails.
	Events record.EventRecorder
	// Pool is the range of addresses, which nobody else gives.
	Pool netip.Prefix
	// Reserved is one address of the pool that no Service gets. Default: none.
	Reserved netip.Addr
}

// Balancer is the controller; it works from Run on.
type Balancer struct {
	opts     Options
	services corelisters.ServiceLister
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	pool     *pool // of the worker alone
	waiting  map[string]bool
}

// New asks for its informer: whoever has made the factory starts it afterwards.
func New(o Options) *Balancer {
	services := o.Informers.Core().V1().Services()
	return &Balancer{
		opts: o, services: services.Lister(), informer: services.Informer(), pool: newPool(o.Pool), waiting: map[string]bool{},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "load-balancer"}),
	}
}

// Run works until ctx is done.
func (b *Balancer) Run(ctx context.Context) error {
	add := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			b.queue.Add(key)
		}
	}
	handle, err := b.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, now any) { add(now) }, DeleteFunc: add,
	})
	if err != nil {
		return fmt.Errorf("load balancer: %w", err)
	}
	defer func() { _ = b.informer.RemoveEventHandler(handle) }()
	if !cache.WaitForCacheSync(ctx.Done(), handle.HasSynced) {
		return nil
	}
	if err := b.remember(); err != nil {
		return fmt.Errorf("load balancer: %w", err)
	}
	defer context.AfterFunc(ctx, b.queue.ShutDown)()
	reconcile.Each(ctx, b.queue, b.sync, func(err error, key string) {
		klog.FromContext(ctx).Error(err, "Giving a Service an address failed", "service", key)
	})
	return nil
}

// remember takes up the addresses that Services have, before any is given.
func (b *Balancer) remember() error {
	if b.opts.Reserved.IsValid() {
		b.pool.claim("reserved", b.opts.Reserved) // no Service has such a key
	}
	all, err := b.services.List(labels.Everything())
	if err != nil {
		return err
	}
	for _, s := range all {
		if wants(s) {
			b.claimed(s)
		}
	}
	return nil
}

// wants says whether a Service is to have an address of ours.
func wants(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.LoadBalancerClass == nil && s.DeletionTimestamp == nil
}

// claimed says whether the Service has an address of the pool that is its own.
func (b *Balancer) claimed(s *corev1.Service) bool {
	key := s.Namespace + "/" + s.Name
	for _, i := range s.Status.LoadBalancer.Ingress {
		if ip, err := netip.ParseAddr(i.IP); err == nil && b.pool.claim(key, ip) {
			return true
		}
	}
	return false
}

func (b *Balancer) sync(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil // no Service has such a key
	}
	s, err := b.services.Services(namespace).Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err != nil || !wants(s) {
		return b.giveBack(ctx, key, s)
	}
	if b.claimed(s) {
		delete(b.waiting, key)
		return nil
	}
	ip, err := b.choose(key, s)
	if err != nil {
		if !b.waiting[key] {
			b.waiting[key] = true
			b.opts.Events.Eventf(s, corev1.EventTypeWarning, "SyncLoadBalancerFailed", "Error syncing load balancer: %v", err)
		}
		return nil // it is its turn again when an address comes back
	}
	mode := corev1.LoadBalancerIPModeVIP
	if err := b.write(ctx, s, []corev1.LoadBalancerIngress{{IP: ip.String(), IPMode: &mode}}); err != nil {
		return err
	}
	delete(b.waiting, key)
	b.opts.Events.Eventf(s, corev1.EventTypeNormal, "EnsuredLoadBalancer", "Ensured load balancer")
	return nil
}

// choose is the address that the Service asks for, or the next one.
func (b *Balancer) choose(key string, s *corev1.Service) (netip.Addr, error) {
	asked := s.Spec.LoadBalancerIP
	if asked == "" {
		return b.pool.next(key)
	}
	ip, err := netip.ParseAddr(asked)
	if err != nil {
		return ip, fmt.Errorf("spec.loadBalancerIP %q is no address", asked)
	}
	if !b.pool.claim(key, ip) {
		return ip, fmt.Errorf("spec.loadBalancerIP %s is in use or not of the pool %s; leave it out to get a free one", ip, b.pool.prefix)
	}
	return ip, nil
}

// giveBack frees the address of a Service that is gone (nil) or wants none any more.
func (b *Balancer) giveBack(ctx context.Context, key string, s *corev1.Service) error {
	delete(b.waiting, key)
	had := b.pool.release(key)
	if s != nil && had && s.DeletionTimestamp == nil && s.Spec.LoadBalancerClass == nil {
		if err := b.write(ctx, s, nil); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	if had {
		for other := range b.waiting {
			delete(b.waiting, other) // who fails again says so again
			b.queue.Add(other)
		}
	}
	return nil
}

func (b *Balancer) write(ctx context.Context, s *corev1.Service, ingress []corev1.LoadBalancerIngress) error {
	s = s.DeepCopy()
	s.Status.LoadBalancer.Ingress = ingress
	_, err := b.opts.Client.CoreV1().Services(s.Namespace).UpdateStatus(ctx, s, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("write the status of Service %s/%s: %w", s.Namespace, s.Name, err)
	}
	return nil
}
