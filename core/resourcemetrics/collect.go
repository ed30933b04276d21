package resourcemetrics

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// patience is how long a kubelet may take to answer.
const patience = 10 * time.Second

// Metrics are what nodes and pods use. Make them with New, serve them (Group), and let them Run.
type Metrics struct {
	points  points
	history history

	mu    sync.RWMutex
	nodes corelisters.NodeLister // nil before Run
	pods  corelisters.PodLister
}

// New makes metrics of which nothing is known yet.
func New() *Metrics { return &Metrics{} }

// Options are what Run needs.
type Options struct {
	// Client reads nodes and pods.
	Client kubernetes.Interface
	// Kubelets makes requests to kubelets at their nodes' addresses, as somebody who may get nodes/metrics.
	Kubelets http.RoundTripper
}

// Run asks every node each Resolution until ctx is done.
func (m *Metrics) Run(ctx context.Context, o Options) error {
	factory := informers.NewSharedInformerFactory(o.Client, 0)
	nodes, pods := factory.Core().V1().Nodes(), factory.Core().V1().Pods()
	// Of a pod only whose it is and where is kept: there may be thousands.
	if err := pods.Informer().SetTransform(trim); err != nil {
		return fmt.Errorf("follow pods for their metrics: %w", err)
	}
	m.mu.Lock()
	m.nodes, m.pods = nodes.Lister(), pods.Lister()
	m.mu.Unlock()
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), nodes.Informer().HasSynced, pods.Informer().HasSynced) {
		return nil
	}
	client := &http.Client{Transport: o.Kubelets, Timeout: patience}
	tick := time.NewTicker(Resolution)
	defer tick.Stop()
	for {
		m.collect(ctx, client)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// trim leaves of a pod what its metrics are found by.
func trim(obj any) (any, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	small := &corev1.Pod{Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName}}
	small.Name, small.Namespace, small.Labels = pod.Name, pod.Namespace, pod.Labels
	small.UID, small.ResourceVersion = pod.UID, pod.ResourceVersion
	keep := func(c *corev1.Container) {
		kept := corev1.Container{Name: c.Name}
		if len(c.Image) <= maxImage {
			kept.Image = c.Image
		}
		small.Spec.Containers = append(small.Spec.Containers, kept)
	}
	for i := range pod.Spec.Containers {
		keep(&pod.Spec.Containers[i])
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways { // a sidecar
			keep(c)
		}
	}
	return small, nil
}

// collect asks all nodes at once.
func (m *Metrics) collect(ctx context.Context, client *http.Client) {
	nodes, err := m.nodes.List(labels.Everything())
	if err != nil {
		klog.ErrorS(err, "Nodes could not be listed for their metrics") // a cache does not fail
		return
	}
	there, fresh := map[string]bool{}, map[string]bool{}
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, node := range nodes {
		there[node.Name] = true
		all.Go(func() {
			a, err := ask(ctx, client, node)
			if err != nil {
				klog.V(2).InfoS("A node does not tell what its pods use", "node", node.Name, "err", err)
			}
			if m.points.put(node.Name, a, err == nil) {
				mu.Lock()
				defer mu.Unlock()
				fresh[node.Name] = true
			}
		})
	}
	all.Wait()
	if pods, err := m.pods.List(labels.Everything()); err == nil {
		m.remember(pods, fresh)
	}
	for _, name := range m.points.known() {
		if !there[name] {
			m.points.put(name, answer{}, false)
		}
	}
}

// ask asks a node's kubelet.
func ask(ctx context.Context, client *http.Client, node *corev1.Node) (answer, error) {
	address := ""
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			address = a.Address
			break
		}
	}
	if net.ParseIP(address) == nil {
		return answer{}, fmt.Errorf("node %s has no address", node.Name)
	}
	at := net.JoinHostPort(address, strconv.Itoa(int(node.Status.DaemonEndpoints.KubeletEndpoint.Port)))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+at+"/metrics/resource", nil)
	if err != nil {
		return answer{}, fmt.Errorf("ask node %s: %w", node.Name, err)
	}
	req.Header.Set("Accept", "text/plain; version=0.0.4")
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("ask node %s: %w", node.Name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return answer{}, fmt.Errorf("ask node %s: it answered %s", node.Name, resp.Status)
	}
	return read(resp.Body, time.Now())
}
