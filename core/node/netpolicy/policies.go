package netpolicy

import (
	"fmt"
	"maps"
	"net/netip"
	"sync"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// Pod is what policies know of a pod.
type Pod struct {
	Namespace, Name string
	Labels          map[string]string
	// Node is its node's own address; invalid if it is not known.
	Node netip.Addr
	// Ports are the named ones of its containers.
	Ports []corev1.ContainerPort
}

// Policies decides who reaches whom. Its methods may be called from any goroutine.
type Policies struct {
	pods       cache.Indexer
	namespaces corelisters.NamespaceLister
	policies   networkinglisters.NetworkPolicyLister
	factory    informers.SharedInformerFactory
	known      chan struct{} // closed when the informers have filled

	mu    sync.Mutex
	early map[netip.Addr]Pod // by a runtime, before the API server knows of the address
}

// byAddress is the index of pods that have an address of their own.
const byAddress = "address"

// New makes the informers with a client that may list and watch pods, namespaces and NetworkPolicies.
func New(client kubernetes.Interface) (*Policies, error) {
	f := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(trim))
	pods := f.Core().V1().Pods().Informer()
	if err := pods.AddIndexers(cache.Indexers{byAddress: addressesOf}); err != nil {
		return nil, fmt.Errorf("watch pods for NetworkPolicies: %w", err)
	}
	return &Policies{
		pods: pods.GetIndexer(), namespaces: f.Core().V1().Namespaces().Lister(),
		policies: f.Networking().V1().NetworkPolicies().Lister(), factory: f, known: make(chan struct{}), early: map[netip.Addr]Pod{},
	}, nil
}

// Start begins to watch, until stop is closed, and returns when everything is known. Until then who
// asks Allow waits. It is called once.
func (p *Policies) Start(stop <-chan struct{}) {
	p.factory.Start(stop)
	p.factory.WaitForCacheSync(stop)
	close(p.known)
}

// trim keeps of a pod what is asked here: a cluster has many.
func trim(obj any) (any, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	kept := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion, Labels: pod.Labels},
		Spec:       corev1.PodSpec{HostNetwork: pod.Spec.HostNetwork},
		Status:     corev1.PodStatus{Phase: pod.Status.Phase, PodIPs: pod.Status.PodIPs, HostIP: pod.Status.HostIP},
	}
	for _, c := range append(append([]corev1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
		if len(c.Ports) > 0 {
			kept.Spec.Containers = append(kept.Spec.Containers, corev1.Container{Ports: c.Ports})
		}
	}
	return kept, nil
}

func addressesOf(obj any) (list []string, err error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok || pod.Spec.HostNetwork || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return nil, nil
	}
	for _, ip := range pod.Status.PodIPs {
		list = append(list, ip.IP)
	}
	return list, nil
}

// Attach says whose an address is from now on, until detach is called: a pod is held to policies before
// its status says what address it has.
func (p *Policies) Attach(ip netip.Addr, pod Pod) (detach func()) {
	pod.Labels = maps.Clone(pod.Labels)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.early[ip] = pod
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if had := p.early[ip]; had.Namespace == pod.Namespace && had.Name == pod.Name {
			delete(p.early, ip)
		}
	})
}

// at is the pod of an address; nil for none. A runtime knows best whose it is, the API server what
// labels it has.
func (p *Policies) at(ip netip.Addr) *Pod {
	p.mu.Lock()
	early, attached := p.early[ip]
	p.mu.Unlock()
	found, _ := p.pods.ByIndex(byAddress, ip.String()) // the index is there
	for _, obj := range found {
		pod, ok := obj.(*corev1.Pod)
		if !ok || attached && (pod.Namespace != early.Namespace || pod.Name != early.Name) {
			continue
		}
		known := &Pod{Namespace: pod.Namespace, Name: pod.Name, Labels: pod.Labels}
		known.Node, _ = netip.ParseAddr(pod.Status.HostIP)
		for _, c := range pod.Spec.Containers {
			known.Ports = append(known.Ports, c.Ports...)
		}
		return known
	}
	if attached {
		return &early
	}
	return nil
}

// Allow says whether what is at from may send to to, which sees it as as. The error is
// podnet.ErrDropped, wrapped, with the direction that forbids it. network is "tcp" or "udp".
func (p *Policies) Allow(network string, from, as netip.Addr, to netip.AddrPort) error {
	<-p.known
	all, err := p.policies.List(labels.Everything())
	if err != nil || len(all) == 0 || from == to.Addr() {
		return nil // a cache has no errors
	}
	protocol := corev1.ProtocolTCP
	if len(network) >= 3 && network[:3] == "udp" {
		protocol = corev1.ProtocolUDP
	}
	source, target := p.at(from), p.at(to.Addr())
	way := flow{protocol: protocol, port: int32(to.Port()), target: target}
	if source != nil && !p.passes(all, source, networkingv1.PolicyTypeEgress, way, peer{to.Addr(), target}) {
		return fmt.Errorf("%w: a NetworkPolicy of pod %s/%s forbids egress to %s", podnet.ErrDropped, source.Namespace, source.Name, to)
	}
	if target == nil || as == target.Node {
		return nil
	}
	if as != from {
		source = p.at(as)
	}
	if !p.passes(all, target, networkingv1.PolicyTypeIngress, way, peer{as, source}) {
		return fmt.Errorf("%w: a NetworkPolicy of pod %s/%s forbids ingress from %s", podnet.ErrDropped, target.Namespace, target.Name, as)
	}
	return nil
}
