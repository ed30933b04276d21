package provisioner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/tabernetes/tabernetes/core/localpath"
	"github.com/tabernetes/tabernetes/core/reconcile"
)

// Options of the volumes of one node or of several.
type Options struct {
	// Client has a node's own rights, or those of who makes volumes for several.
	Client kubernetes.Interface
	// Host is who is named in events: the node, if it is one.
	Host string
	// Places says where a node's volumes are, by the Node's name, which is its kubernetes.io/hostname
	// as well; false for a node that is not one of these.
	Places func(node string) (Place, bool)
	// Anew has the directory of a volume that is in use made again, empty, where there is none: objects of these nodes
	// come from elsewhere or from before, without what was on the disks.
	Anew bool
}

// OnNode are the places of one node that has its volumes in dir, which is absolute. Its machine's other
// users are let through no more, as they were by older versions.
func OnNode(node, dir string) (func(string) (Place, bool), error) {
	if node == "" || !filepath.IsAbs(dir) {
		return nil, errors.New("volumes: the node's name and an absolute directory are needed")
	}
	if err := os.Chmod(dir, dirMode); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("volumes: %w", err)
	}
	return func(name string) (Place, bool) { return Place{Dir: dir, Path: dir}, name == node }, nil
}

// Again after an error, from the first wait to the last, until it works: a full disk may be emptied.
const (
	firstWait = time.Second
	lastWait  = time.Minute
)

// volumes is what Run needs.
type volumes struct {
	localPath
	anew    bool
	client  kubernetes.Interface
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	events  record.EventRecorder
	queue   workqueue.TypedRateLimitingInterface[string]
}

// Run makes, expands and removes volumes until ctx is done.
func Run(ctx context.Context, o Options) error {
	if o.Client == nil || o.Places == nil {
		return errors.New("volumes: a client and the nodes' places are needed")
	}
	factory := informers.NewSharedInformerFactory(o.Client, 0)
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: o.Client.CoreV1().Events(metav1.NamespaceAll)})
	v := &volumes{
		localPath: localPath{places: o.Places},
		anew:      o.Anew,
		client:    o.Client,
		claims:    factory.Core().V1().PersistentVolumeClaims().Lister(),
		volumes:   factory.Core().V1().PersistentVolumes().Lister(),
		classes:   factory.Storage().V1().StorageClasses().Lister(),
		events:    broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: localpath.Provisioner, Host: o.Host}),
		queue:     workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstWait, lastWait)),
	}
	defer v.queue.ShutDown()
	for prefix, informer := range map[string]cache.SharedIndexInformer{
		"claim/":  factory.Core().V1().PersistentVolumeClaims().Informer(),
		"volume/": factory.Core().V1().PersistentVolumes().Informer(),
	} {
		add := func(obj any) {
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				v.queue.Add(prefix + key)
			}
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }}); err != nil {
			return fmt.Errorf("watch claims and volumes: %w", err)
		}
	}
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	factory.WaitForCacheSyncWithContext(ctx)
	go func() {
		<-ctx.Done()
		v.queue.ShutDown()
	}()
	reconcile.Each(ctx, v.queue, v.sync, nil)
	return nil
}

// sync looks at one claim or volume; whoever has to know of an error is told here.
func (v *volumes) sync(ctx context.Context, key string) error {
	kind, rest, _ := strings.Cut(key, "/")
	if kind == "volume" {
		volume, err := v.volumes.Get(rest)
		if err != nil {
			return nil
		}
		if !v.over(volume) {
			return v.restore(volume)
		}
		if err := v.release(ctx, volume); err != nil {
			v.events.Event(volume, corev1.EventTypeWarning, "VolumeFailedDelete", err.Error())
			return err
		}
		return nil
	}
	namespace, name, err := cache.SplitMetaNamespaceKey(rest)
	if err != nil {
		return nil
	}
	claim, err := v.claims.PersistentVolumeClaims(namespace).Get(name)
	if err != nil {
		return nil
	}
	if volume := v.grows(claim); volume != nil {
		if err := v.expand(ctx, claim, volume); err != nil {
			v.events.Event(claim, corev1.EventTypeWarning, "VolumeResizeFailed", err.Error())
			return err
		}
		return nil
	}
	if !v.wants(claim) {
		return nil
	}
	if err := v.serve(ctx, claim); err != nil {
		v.events.Event(claim, corev1.EventTypeWarning, "ProvisioningFailed", err.Error())
		return err
	}
	return nil
}

// serve makes a claim's volume.
func (v *volumes) serve(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	if _, err := v.volumes.Get(localpath.Name(claim)); err == nil {
		return nil // the claim is not bound yet
	}
	class, err := v.classes.Get(storagehelpers.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return fmt.Errorf("find the claim's StorageClass: %w", err)
	}
	volume, err := v.provision(claim, class)
	if err != nil {
		return err
	}
	if _, err := v.client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the claim's volume: %w", err)
	}
	v.events.Eventf(claim, corev1.EventTypeNormal, "ProvisioningSucceeded", "Made %s on node %s", volume.Spec.Local.Path, claim.Annotations[storagehelpers.AnnSelectedNode])
	return nil
}

// restore makes the directory of a volume that has none.
func (v *volumes) restore(volume *corev1.PersistentVolume) error {
	if !v.anew || volume.DeletionTimestamp != nil || volume.Spec.ClaimRef == nil || volume.Status.Phase != corev1.VolumeBound {
		return nil
	}
	made, err := v.again(volume)
	switch {
	case err != nil:
		v.events.Event(volume, corev1.EventTypeWarning, "VolumeFailedRestore", err.Error())
	case made:
		v.events.Eventf(volume.Spec.ClaimRef, corev1.EventTypeWarning, "VolumeIsEmpty", "There was nothing at %s: the volume's object came without its files, and begins empty", volume.Spec.Local.Path)
	}
	return err
}

// release removes a volume that nobody claims any more.
func (v *volumes) release(ctx context.Context, volume *corev1.PersistentVolume) error {
	if err := v.remove(volume); err != nil {
		return err
	}
	err := v.client.CoreV1().PersistentVolumes().Delete(ctx, volume.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(volume.UID))})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete the volume: %w", err)
	}
	return nil
}
