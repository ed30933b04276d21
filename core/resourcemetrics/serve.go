package resourcemetrics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/metrics/pkg/apis/metrics"
	"k8s.io/metrics/pkg/apis/metrics/install"
	"k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// GroupVersion is what is served.
var GroupVersion = v1beta1.SchemeGroupVersion

// Group is the API group, for a server to install.
func (m *Metrics) Group() *genericapiserver.APIGroupInfo {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	group := genericapiserver.NewDefaultAPIGroupInfo(metrics.GroupName, scheme, metav1.ParameterCodec, serializer.NewCodecFactory(scheme))
	group.VersionedResourcesStorageMap[GroupVersion.Version] = map[string]rest.Storage{
		"nodes": nodeMetrics{m}, "pods": podMetrics{m},
	}
	return &group
}

// listers are nil before Run.
func (m *Metrics) listers() (corelisters.NodeLister, corelisters.PodLister) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.nodes, m.pods
}

// selectors are what a list asks for.
func selectors(o *internalversion.ListOptions) (labels.Selector, fields.Selector) {
	byLabel, byField := labels.Everything(), fields.Everything()
	if o != nil && o.LabelSelector != nil {
		byLabel = o.LabelSelector
	}
	if o != nil && o.FieldSelector != nil {
		byField = o.FieldSelector
	}
	return byLabel, byField
}

type nodeMetrics struct{ m *Metrics }

var (
	_ rest.Getter               = nodeMetrics{}
	_ rest.Lister               = nodeMetrics{}
	_ rest.Scoper               = nodeMetrics{}
	_ rest.KindProvider         = nodeMetrics{}
	_ rest.SingularNameProvider = nodeMetrics{}
)

func (nodeMetrics) New() runtime.Object     { return &metrics.NodeMetrics{} }
func (nodeMetrics) NewList() runtime.Object { return &metrics.NodeMetricsList{} }
func (nodeMetrics) Destroy()                {}
func (nodeMetrics) Kind() string            { return "NodeMetrics" }
func (nodeMetrics) NamespaceScoped() bool   { return false }
func (nodeMetrics) GetSingularName() string { return "" }

func (s nodeMetrics) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	list, err := s.list(labels.Everything(), fields.OneTermEqualSelector("metadata.name", name))
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, apierrors.NewNotFound(metrics.Resource("nodemetrics"), name)
	}
	return &list[0], nil
}

func (s nodeMetrics) List(_ context.Context, o *internalversion.ListOptions) (runtime.Object, error) {
	list, err := s.list(selectors(o))
	return &metrics.NodeMetricsList{Items: list}, err
}

func (s nodeMetrics) list(byLabel labels.Selector, byField fields.Selector) ([]metrics.NodeMetrics, error) {
	lister, _ := s.m.listers()
	if lister == nil {
		return nil, nil
	}
	nodes, err := lister.List(byLabel)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var list []metrics.NodeMetrics
	for _, n := range nodes {
		u, ok := s.m.points.node(n.Name)
		if !ok || !byField.Matches(fields.Set{"metadata.name": n.Name}) {
			continue
		}
		list = append(list, metrics.NodeMetrics{
			ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels, CreationTimestamp: metav1.Now()},
			Timestamp:  metav1.NewTime(u.at), Window: metav1.Duration{Duration: u.window}, Usage: u.list,
		})
	}
	slices.SortFunc(list, func(a, b metrics.NodeMetrics) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// used is what each container of a pod uses; empty if nothing is known.
func (m *Metrics) used(p *corev1.Pod) map[string]usage {
	var names []string
	for i := range p.Spec.Containers {
		names = append(names, p.Spec.Containers[i].Name)
	}
	return m.points.pod(p.Spec.NodeName, types.NamespacedName{Namespace: p.Namespace, Name: p.Name}, names)
}

type podMetrics struct{ m *Metrics }

var (
	_ rest.Getter               = podMetrics{}
	_ rest.Lister               = podMetrics{}
	_ rest.Scoper               = podMetrics{}
	_ rest.KindProvider         = podMetrics{}
	_ rest.SingularNameProvider = podMetrics{}
)

func (podMetrics) New() runtime.Object     { return &metrics.PodMetrics{} }
func (podMetrics) NewList() runtime.Object { return &metrics.PodMetricsList{} }
func (podMetrics) Destroy()                {}
func (podMetrics) Kind() string            { return "PodMetrics" }
func (podMetrics) NamespaceScoped() bool   { return true }
func (podMetrics) GetSingularName() string { return "" }

func (s podMetrics) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	list, err := s.list(ctx, labels.Everything(), fields.OneTermEqualSelector("metadata.name", name))
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, apierrors.NewNotFound(metrics.Resource("podmetrics"), genericapirequest.NamespaceValue(ctx)+"/"+name)
	}
	return &list[0], nil
}

func (s podMetrics) List(ctx context.Context, o *internalversion.ListOptions) (runtime.Object, error) {
	byLabel, byField := selectors(o)
	list, err := s.list(ctx, byLabel, byField)
	return &metrics.PodMetricsList{Items: list}, err
}

func (s podMetrics) list(ctx context.Context, byLabel labels.Selector, byField fields.Selector) ([]metrics.PodMetrics, error) {
	_, lister := s.m.listers()
	if lister == nil {
		return nil, nil
	}
	pods, err := lister.Pods(genericapirequest.NamespaceValue(ctx)).List(byLabel)
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	var list []metrics.PodMetrics
	for _, p := range pods {
		if !byField.Matches(fields.Set{"metadata.name": p.Name, "metadata.namespace": p.Namespace}) {
			continue
		}
		used := s.m.used(p)
		if len(used) == 0 {
			continue
		}
		pm := metrics.PodMetrics{ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: p.Name, Labels: p.Labels, CreationTimestamp: metav1.Now(),
		}}
		for i := range p.Spec.Containers {
			name := p.Spec.Containers[i].Name
			u, ok := used[name]
			if !ok {
				continue
			}
			if pm.Timestamp.IsZero() || u.at.Before(pm.Timestamp.Time) {
				pm.Timestamp, pm.Window = metav1.NewTime(u.at), metav1.Duration{Duration: u.window}
			}
			pm.Containers = append(pm.Containers, metrics.ContainerMetrics{Name: name, Usage: u.list})
		}
		list = append(list, pm)
	}
	slices.SortFunc(list, func(a, b metrics.PodMetrics) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return list, nil
}
