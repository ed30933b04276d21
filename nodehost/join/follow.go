package join

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/core/localpath/provisioner"
	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/nodehost/cri"
	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/network"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
	"github.com/tabernetes/tabernetes/nodehost/proxy"
)

// follow watches the node's own Node: it writes the route that it is reached by there, and lets pods
// have a network as soon as there are addresses for them.
func (n *node) follow(ctx context.Context) error {
	began := time.Now()
	config, err := n.clientConfig(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make the node's client: %w", err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTweakListOptions(func(l *metav1.ListOptions) { l.FieldSelector = "metadata.name=" + n.state.Node }))
	seen := make(chan *corev1.Node, 1)
	take := func(obj any) {
		select { // the newest replaces one that was not looked at
		case <-seen:
		default:
		}
		seen <- obj.(*corev1.Node)
	}
	informer := factory.Core().V1().Nodes().Informer()
	other := &stranger{log: n.Log.With("hub", n.state.Hub, "cluster", n.state.Cluster)}
	if err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		other.failed(err)
		cache.DefaultWatchErrorHandler(ctx, r, err)
	}); err != nil {
		return fmt.Errorf("watch the node: %w", err)
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: take, UpdateFunc: func(_, obj any) { take(obj) },
	}); err != nil {
		return fmt.Errorf("watch the node: %w", err)
	}
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	var ready, networked sync.Once
	start := func(cidrs []netip.Prefix) {
		if len(cidrs) > 0 {
			networked.Do(func() {
				n.allowed.SetPods(cidrs)
				n.group.Go("network", func() error { return n.network(ctx, config, cidrs) })
				n.group.Go("volumes", func() error {
					places, err := provisioner.OnNode(n.state.Node, n.Place.Volumes())
					if err != nil {
						return err
					}
					return provisioner.Run(ctx, provisioner.Options{Client: client, Host: n.state.Node, Places: places})
				})
			})
		}
	}
	start(parse(n.state.PodCIDRs)) // the cluster may be away
	retry := time.NewTicker(2 * time.Second)
	defer retry.Stop()
	var last *corev1.Node
	for {
		select {
		case <-ctx.Done():
			return nil
		case last = <-seen:
			other.answered()
		case <-retry.C:
			if last == nil {
				continue
			}
		}
		if err := n.announce(ctx, client, last); err != nil {
			n.Log.Info("the node's route is not on its Node yet", "error", err)
		}
		if err := n.remember(last); err != nil {
			return err
		}
		start(parse(last.Spec.PodCIDRs))
		if readySince(last, began) && last.Annotations[wellknown.RouteAnnotation] != "" {
			ready.Do(func() { fmt.Fprintf(n.Out, "ready %s\n", n.state.Node) })
		}
	}
}

// certificatePatience is how long a machine's first certificate takes at most, unless something speaks
// against it.
const certificatePatience = 20 * time.Second

// clientConfig waits for the kubelet to have a certificate, which comes after the file that names it.
// The files are read again when they change.
func (n *node) clientConfig(ctx context.Context) (*rest.Config, error) {
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	late := time.After(certificatePatience)
	for !exists(n.Place.Kubeconfig()) || !exists(kubelet.ClientCert(n.Place.Kubelet())) {
		select {
		case <-ctx.Done():
			return nil, nil
		case <-look.C:
		case <-late:
			n.Log.Warn("the cluster has not given this machine its certificate yet; if its name was another machine's within the hour, choose another one (nodehost leave --force, then join with --node-name), or approve it: kubectl get csr", "node", n.state.Node)
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", n.Place.Kubeconfig())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", n.Place.Kubeconfig(), err)
	}
	return config, n.forgetToken()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// announce writes the node's route, and how it is dialled, on its Node, if something else is there.
func (n *node) announce(ctx context.Context, client kubernetes.Interface, now *corev1.Node) error {
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	w, err := n.link.Up(asking)
	if err != nil {
		return err
	}
	if now.Annotations[wellknown.RouteAnnotation] == w.Route && now.Annotations[wellknown.DialAnnotation] == nodedial.Target {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{
		wellknown.RouteAnnotation: w.Route, wellknown.DialAnnotation: nodedial.Target,
	}}})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(asking, n.state.Node, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// network keeps the network of the node's pods until ctx is done.
func (n *node) network(ctx context.Context, config *rest.Config, cidrs []netip.Prefix) error {
	seen, _ := netip.ParseAddr(n.state.Seen) // it may not be known
	pods, err := network.New(network.Options{
		Node: n.state.Node, IP: n.ip, PodCIDRs: cidrs, API: config,
		Dial:       func(context.Context) (net.Conn, error) { return n.link.Dial() },
		DialPod:    n.dialPod,
		Dir:        n.Place.CNI(),
		Plugin:     pluginPath(n.Place),
		PluginDirs: n.state.Settings.CNIBinDirs, Existing: n.state.Settings.CNIConfDir,
		Overlay: ways.Mode(n.state.Settings.Overlay), Proxy: proxy.Mode(n.state.Settings.Proxy),
		Valid:        func(ctx context.Context) ([]string, error) { return cri.Sandboxes(ctx, n.state.Endpoint) },
		PodAddresses: (&cri.PodAddresses{Endpoint: n.state.Endpoint}).List,
		Event:        n.steps.Plugin,
		Ways:         n.steps.Ways,
		Seen:         seen, ResolvConf: resolvConf(), Log: n.Log,
	})
	if err != nil {
		return err
	}
	return pods.Run(ctx)
}

// remember keeps what the network is made of.
func (n *node) remember(now *corev1.Node) error {
	if len(now.Spec.PodCIDRs) == 0 || slices.Equal(now.Spec.PodCIDRs, n.state.PodCIDRs) {
		return nil
	}
	n.state.PodCIDRs = now.Spec.PodCIDRs
	return n.Place.Save(n.state)
}

func parse(cidrs []string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range cidrs {
		if p, err := netip.ParsePrefix(text); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// readySince says whether the node's kubelet has said that it is Ready after a time.
func readySince(n *corev1.Node, began time.Time) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue && !c.LastHeartbeatTime.Time.Before(began.Truncate(time.Second))
		}
	}
	return false
}
