package realnode

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/localpath"
	"github.com/tabernetes/tabernetes/core/reconcile"
)

// Again after an error, from the first wait to the last.
const (
	firstWait = time.Second
	lastWait  = time.Minute
)

// volumes looks after local volumes of nodes that there are no more. A node makes and deletes its own
// (core/localpath/provisioner), so that nobody else would delete them. A volume goes when its claim has gone,
// whichever of the two went first. Claims are never touched: what a pod without its data is to do is
// for its owner to say, as it is with Rancher's local-path-provisioner.
type volumes struct {
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	lister  corelisters.PersistentVolumeLister
	events  record.EventRecorder
	queue   workqueue.TypedRateLimitingInterface[string] // names of volumes
}

// newVolumes watches volumes; stop ends that.
func newVolumes(ctx context.Context, client kubernetes.Interface) (v *volumes, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(metav1.NamespaceAll)})
	v = &volumes{
		client:  client,
		factory: informers.NewSharedInformerFactory(client, 0),
		events:  broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: localpath.Provisioner}),
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstWait, lastWait)),
	}
	informer := v.factory.Core().V1().PersistentVolumes()
	v.lister = informer.Lister()
	add := func(obj any) { v.add(obj.(*corev1.PersistentVolume)) }
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) },
	}); err != nil {
		cancel()
		broadcaster.Shutdown()
		return nil, nil, fmt.Errorf("watch volumes: %w", err)
	}
	v.factory.StartWithContext(ctx)
	return v, func() {
		cancel()
		v.queue.ShutDown()
		v.factory.Shutdown()
		broadcaster.Shutdown()
	}, nil
}

// add has a volume looked at that could be one to delete.
func (v *volumes) add(volume *corev1.PersistentVolume) {
	if _, ok := localpath.Node(volume); ok && over(volume) {
		v.queue.Add(volume.Name)
	}
}

// over says whether a volume is to be deleted, and nobody has.
func over(volume *corev1.PersistentVolume) bool {
	return localpath.Over(volume) && volume.DeletionTimestamp == nil
}

// of are a node's volumes.
func (v *volumes) of(node string) (found []*corev1.PersistentVolume) {
	all, err := v.lister.List(labels.Everything())
	if err != nil {
		klog.ErrorS(err, "Volumes could not be listed") // a cache does not fail
	}
	for _, volume := range all {
		if n, ok := localpath.Node(volume); ok && n == node {
			found = append(found, volume)
		}
	}
	return found
}

// left tells the owners of claims that a machine which has left took their data along.
func (v *volumes) left(node string) {
	for _, volume := range v.of(node) {
		if claim := volume.Spec.ClaimRef; volume.Status.Phase == corev1.VolumeBound && claim != nil {
			v.events.Eventf(claim, corev1.EventTypeWarning, "NodeLeft",
				"Node %s has left the cluster and has removed this claim's data. Pods of the claim stay Pending; delete the claim and make it again to go on with an empty volume", node)
		}
	}
}

// gone has the volumes of a node looked at that was deleted.
func (v *volumes) gone(node string) {
	for _, volume := range v.of(node) {
		v.add(volume)
	}
}

// run deletes volumes until the queue is shut down.
func (v *volumes) run(ctx context.Context) {
	reconcile.Each(ctx, v.queue, v.collect, func(err error, name string) {
		klog.ErrorS(err, "A local volume of a node that has gone could not be deleted; trying again", "volume", name)
	})
}

// collect deletes a released volume whose node does not exist.
func (v *volumes) collect(ctx context.Context, name string) error {
	volume, err := v.lister.Get(name)
	if err != nil {
		return nil // it has gone
	}
	node, ok := localpath.Node(volume)
	if !ok || !over(volume) {
		return nil
	}
	// Asked, and not the cache: a node that has just come deletes its volumes itself.
	if _, err := v.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return err
	}
	err = v.client.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(volume.UID)),
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // it has gone, and another one may have its name
	}
	return err
}
