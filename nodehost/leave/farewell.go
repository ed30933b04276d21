package leave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/uplink"
)

// hubPatience is how long the hub may take to answer a machine that leaves.
const hubPatience = 15 * time.Second

// farewell drains the node and has it forgotten, with the node's own rights: it may cordon itself,
// evict its own pods, and write on its Node that it has left. Its kubelet has to run for that: a node
// that does not run is not drained.
func (o *Options) farewell(ctx context.Context, s *nodedir.State, running bool) error {
	if !running {
		end, err := reach(ctx, s, o)
		if err != nil {
			return err
		}
		defer end()
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.Place.Kubeconfig())
	if err != nil {
		return nil // it never had a certificate: the cluster knows nothing of it
	}
	config.Timeout = 30 * time.Second
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	node, err := client.CoreV1().Nodes().Get(ctx, s.Node, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the cluster cannot be asked: %w", err)
	}
	if running {
		if err := o.drain(ctx, client, node); err != nil {
			return err
		}
	}
	return patch(ctx, client, s.Node, map[string]any{"metadata": map[string]any{
		"annotations": map[string]string{wellknown.LeftAnnotation: time.Now().UTC().Format(time.RFC3339)},
	}})
}

// reach makes a way to the cluster for a node that does not run, by the port that its files name.
func reach(ctx context.Context, s *nodedir.State, o *Options) (end func(), err error) {
	link, err := uplink.New(uplink.Options{
		Hub: s.Hub, CertHash: s.HubCertHash, Cluster: s.Cluster, Instance: s.Instance, Log: o.Log,
		Allow: func(string) (string, error) { return "", errors.New("this node is leaving") },
	})
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Forwarder)))
	if err != nil {
		return nil, fmt.Errorf("reach the cluster: %w", err)
	}
	serving, end := context.WithCancel(ctx)
	go func() { _ = link.Run(serving) }()
	go func() { _ = link.Forward(serving, ln) }()
	waiting, cancel := context.WithTimeout(ctx, hubPatience)
	defer cancel()
	if _, err := link.Up(waiting); err != nil {
		end()
		return nil, fmt.Errorf("the cluster cannot be reached: %w", err)
	}
	return end, nil
}

// drain cordons the node, evicts its pods and waits until they are gone. Pods of DaemonSets and static
// pods stay: they would come back.
func (o *Options) drain(ctx context.Context, client kubernetes.Interface, node *corev1.Node) error {
	if !node.Spec.Unschedulable {
		if err := patch(ctx, client, node.Name, map[string]any{"spec": map[string]any{"unschedulable": true}}); err != nil {
			return fmt.Errorf("cordon the node: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	var last error
	for {
		left, err := o.evict(ctx, client, node.Name)
		if err == nil && left == 0 {
			return nil
		}
		if ctx.Err() == nil {
			if last = err; last == nil {
				last = fmt.Errorf("%d pods are still ending", left)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("drain the node: %w", last)
		case <-time.After(time.Second):
		}
	}
}

// evict asks for the eviction of every pod that is to go and says how many there are.
func (o *Options) evict(ctx context.Context, client kubernetes.Interface, node string) (left int, err error) {
	pods, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return 0, fmt.Errorf("list the node's pods: %w", err)
	}
	var errs []error
	for _, pod := range pods.Items {
		if stays(&pod) {
			continue
		}
		left++
		if pod.DeletionTimestamp != nil {
			continue
		}
		err := client.CoreV1().Pods(pod.Namespace).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}})
		if err != nil && !apierrors.IsNotFound(err) {
			// A disruption budget says "not now": that is what waiting is for.
			errs = append(errs, fmt.Errorf("evict %s/%s: %w", pod.Namespace, pod.Name, err))
		}
	}
	return left, errors.Join(errs...)
}

// stays says whether a pod comes back if it is evicted.
func stays(pod *corev1.Pod) bool {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

func patch(ctx context.Context, client kubernetes.Interface, node string, change map[string]any) error {
	b, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, b, metav1.PatchOptions{})
	return err
}
