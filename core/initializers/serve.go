package initializers

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	kubestorage "k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/controlplane"
	controlplaneapiserver "k8s.io/kubernetes/pkg/controlplane/apiserver"
	admissionregistrationrest "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
)

// Serve puts InitializerConfiguration beside what upstream serves of its group, and the OpenAPI of it: called for the
// native APIs' configuration, before it is completed.
func (f *Feature) Serve(c *controlplane.Config, factory *serverstorage.DefaultStorageFactory) error {
	f.authorizer = c.ControlPlane.Generic.Authorization.Authorizer
	encoding, ok := factory.ResourceEncodingConfig.(*serverstorage.DefaultResourceEncodingConfig)
	if !ok {
		return fmt.Errorf("serve InitializerConfigurations: upstream's resource encoding is a %T", factory.ResourceEncodingConfig)
	}
	encoding.SetResourceEncoding(resource, groupVersion, admissionregistration.SchemeGroupVersion)
	// The type has no protobuf, as custom resources have none.
	factory.SetSerializer(resource, runtime.ContentTypeJSON, legacyscheme.Codecs)
	c.ControlPlane.APIResourceConfigSource = without{c.ControlPlane.APIResourceConfigSource}
	describe(c.ControlPlane.Generic)
	if err := c.ControlPlane.Generic.AddPostStartHook("initializers-controllers", collect); err != nil {
		return fmt.Errorf("serve InitializerConfigurations: %w", err)
	}
	return nil
}

// without is which resources are enabled, for all groups but the one that is served here.
type without struct {
	serverstorage.APIResourceConfigSource
}

// ResourceEnabled implements serverstorage.APIResourceConfigSource.
func (w without) ResourceEnabled(r schema.GroupVersionResource) bool {
	return r.Group != admissionregistration.GroupName && w.APIResourceConfigSource.ResourceEnabled(r)
}

// AnyResourceForGroupEnabled implements serverstorage.APIResourceConfigSource.
func (w without) AnyResourceForGroupEnabled(group string) bool {
	return group != admissionregistration.GroupName && w.APIResourceConfigSource.AnyResourceForGroupEnabled(group)
}

// making is held while a chain is made: see While.
var making sync.Mutex

// While has make, which makes upstream's chain of servers, serve the group with InitializerConfiguration in it.
// Upstream has one seam for groups that are installed with its own, before the aggregator looks which there are: a
// variable of the package that is meant for tests. A group cannot be installed twice, so that upstream is told that its
// own is off (without), and what it would have installed is asked of the same provider.
func (f *Feature) While(c controlplane.CompletedConfig, make func() error) error {
	making.Lock()
	defer making.Unlock()
	before := controlplane.AdditionalStorageProvidersForTests
	defer func() { controlplane.AdditionalStorageProvidersForTests = before }()
	controlplane.AdditionalStorageProvidersForTests = func(client *kubernetes.Clientset) (all []controlplaneapiserver.RESTStorageProvider) {
		if before != nil {
			all = before(client)
		}
		return append(all, provider{f, admissionregistrationrest.RESTStorageProvider{
			Authorizer: c.ControlPlane.Generic.Authorization.Authorizer, DiscoveryClient: client.Discovery(),
		}})
	}
	return make()
}

// provider is upstream's for the group, with one resource more.
type provider struct {
	feature *Feature
	admissionregistrationrest.RESTStorageProvider
}

var _ controlplaneapiserver.RESTStorageProvider = provider{}

// NewRESTStorage implements controlplaneapiserver.RESTStorageProvider.
func (p provider) NewRESTStorage(enabled serverstorage.APIResourceConfigSource, options generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error) {
	if w, ok := enabled.(without); ok {
		enabled = w.APIResourceConfigSource
	}
	group, err := p.RESTStorageProvider.NewRESTStorage(enabled, options)
	if err != nil {
		return group, err
	}
	store, err := newREST(options, p.feature.inForce.changed)
	if err != nil {
		return group, fmt.Errorf("serve InitializerConfigurations: %w", err)
	}
	p.feature.inForce.read = func(ctx context.Context) ([]InitializerConfiguration, error) {
		list, err := store.List(context.WithValue(ctx, askedKey{}, (*asked)(nil)), &internalversion.ListOptions{})
		if err != nil {
			return nil, err
		}
		return list.(*InitializerConfigurationList).Items, nil
	}
	version := group.VersionedResourcesStorageMap[groupVersion.Version]
	if version == nil {
		version = map[string]rest.Storage{}
		group.VersionedResourcesStorageMap[groupVersion.Version] = version
	}
	version[resource.Resource] = store
	return group, nil
}

// Wrap has a server's resources be stored so that what is not initialized is not seen.
func (f *Feature) Wrap(g generic.RESTOptionsGetter) generic.RESTOptionsGetter {
	if g == nil {
		return nil
	}
	return wrapped{g, f}
}

type wrapped struct {
	generic.RESTOptionsGetter
	feature *Feature
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (w wrapped) GetRESTOptions(r schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	o, err := w.RESTOptionsGetter.GetRESTOptions(r, example)
	if err != nil || exempt(r) || o.Decorator == nil {
		return o, err
	}
	next := o.Decorator
	o.Decorator = func(config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error),
		newFunc, newList func() runtime.Object, attrs kubestorage.AttrFunc, trigger kubestorage.IndexerFuncs, indexers *cache.Indexers,
	) (kubestorage.Interface, factory.DestroyFunc, error) {
		if attrs != nil {
			attrs = withAttribute(attrs)
		}
		s, destroy, err := next(config, prefix, key, newFunc, newList, attrs, trigger, indexers)
		if err != nil {
			return s, destroy, err
		}
		return &hiding{Interface: s, feature: w.feature, resource: r, make: newFunc}, destroy, nil
	}
	return o, nil
}
