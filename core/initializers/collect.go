package initializers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

// The two controllers that have to see what is not initialized, and that have their informers from a factory that all
// controllers of a manager share: upstream's garbage collector, and its recount of quotas. While the plugin is on they
// run a second time, in the server, with informers that see everything; what those of the manager do by less is
// refused or left (lesser.go). They end with the server.

// Their identities, in RBAC and the audit as well.
const (
	garbageCollector = "generic-garbage-collector"
	quotaController  = "resourcequota-controller"
	systemNamespace  = "kube-system"
)

// Periods, as upstream's command has them.
const (
	syncPeriod      = 30 * time.Second
	quotaSyncPeriod = 5 * time.Minute
	resyncPeriod    = 12 * time.Hour
	workers         = 5
)

// collect begins both; it is a hook of the server. Upstream ends the process over a hook that fails: where nobody may
// ask for anything it waits until somebody may.
func collect(hook genericapiserver.PostStartHookContext) error {
	go func() {
		logger := klog.FromContext(hook.Context)
		c := seeingAs(hook.LoopbackClientConfig, rest.ImpersonationConfig{UserName: user.KubeControllerManager})
		client, err := kubernetes.NewForConfig(c)
		if err == nil {
			err = wait.PollUntilContextCancel(hook.Context, time.Second, true, func(context.Context) (bool, error) {
				_, err := client.Discovery().ServerPreferredNamespacedResources()
				return err == nil, nil
			})
		}
		if err == nil {
			err = begin(hook.Context, hook.LoopbackClientConfig, c, client)
		}
		if err != nil && hook.Context.Err() == nil {
			logger.Error(err, "What is not initialized is not seen by the garbage collector and quotas")
		}
	}()
	return nil
}

func begin(ctx context.Context, loopback, c *rest.Config, client kubernetes.Interface) error {
	objects, err := metadata.NewForConfig(c)
	if err != nil {
		return err
	}
	seen := measured{informers.NewSharedInformerFactory(client, resyncPeriod), metadatainformer.NewSharedInformerFactory(objects, resyncPeriod)}
	for name, start := range map[string]func(context.Context, *rest.Config, measured) error{garbageCollector: collectGarbage, quotaController: recount} {
		own := seeingAs(loopback, rest.ImpersonationConfig{
			UserName: serviceaccount.MakeUsername(systemNamespace, name), Groups: serviceaccount.MakeGroupNames(systemNamespace),
		})
		if err := start(ctx, rest.AddUserAgent(own, name), seen); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	seen.Start(ctx.Done())
	return nil
}

// seeingAs is a client that is somebody's, and sees everything.
func seeingAs(loopback *rest.Config, who rest.ImpersonationConfig) *rest.Config {
	c := rest.CopyConfig(loopback)
	c.Impersonate = who
	c.QPS = -1 // it stays in the process
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return Seeing{next} })
	return c
}

func collectGarbage(ctx context.Context, c *rest.Config, seen measured) error {
	client, err := kubernetes.NewForConfig(c)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(c)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, objects, mapper, garbagecollector.DefaultIgnoredResources(), seen, begun)
	if err != nil {
		return err
	}
	go gc.Run(ctx, workers, syncPeriod)
	go gc.Sync(ctx, client.Discovery(), syncPeriod)
	return nil
}

// begun is what upstream waits for before it starts informers.
var begun = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// measured has informers with the whole of the resources of which a quota may say more than how many there are, and with
// the metadata of all others.
type measured struct {
	whole  informers.SharedInformerFactory
	others metadatainformer.SharedInformerFactory
}

var _ informerfactory.InformerFactory = measured{}

// ForResource implements informerfactory.InformerFactory.
func (m measured) ForResource(r schema.GroupVersionResource) (informers.GenericInformer, error) {
	switch r.GroupResource() {
	case corev1.Resource("pods"), corev1.Resource("services"), corev1.Resource("persistentvolumeclaims"), resourcev1.Resource("resourceclaims"):
		return m.whole.ForResource(r)
	}
	return m.others.ForResource(r), nil
}

// Start implements informerfactory.InformerFactory.
func (m measured) Start(stop <-chan struct{}) {
	m.whole.Start(stop)
	m.others.Start(stop)
}

func recount(ctx context.Context, c *rest.Config, seen measured) error {
	client, err := kubernetes.NewForConfig(c)
	if err != nil {
		return err
	}
	quotas, err := quotainstall.NewQuotaConfigurationForControllers(generic.ListerFuncForResourceFunc(seen.ForResource), seen.whole)
	if err != nil {
		return err
	}
	discover := client.Discovery().ServerPreferredNamespacedResources
	counts, err := resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient:               client.CoreV1(),
		ResourceQuotaInformer:     seen.whole.Core().V1().ResourceQuotas(),
		ResyncPeriod:              controller.StaticResyncPeriodFunc(quotaSyncPeriod),
		InformerFactory:           seen,
		ReplenishmentResyncPeriod: controller.StaticResyncPeriodFunc(resyncPeriod),
		DiscoveryFunc:             discover,
		IgnoredResourcesFunc:      quotas.IgnoredResources,
		InformersStarted:          begun,
		Registry:                  generic.NewRegistry(quotas.Evaluators()),
		UpdateFilter:              quotainstall.DefaultUpdateFilter(),
	})
	if err != nil {
		return err
	}
	go counts.Run(ctx, workers)
	go counts.Sync(ctx, discover, syncPeriod)
	return nil
}
