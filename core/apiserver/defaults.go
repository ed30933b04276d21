package apiserver

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	flowcontrolbootstrap "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// defaults are objects that upstream makes while a new cluster starts: by a post-start hook that
// does nothing else, or (no hook) by somebody who looks whether they are there.
type defaults struct {
	hook    string
	objects map[schema.GroupResource][]runtime.Object
}

// bootstrap lists what a new cluster needs. The objects are upstream's, and those of its hooks.
func bootstrap() []defaults {
	roles, bindings := []runtime.Object{}, []runtime.Object{}
	for _, list := range bootstrappolicy.NamespaceRoles() {
		roles = append(roles, pointers(list)...)
	}
	for _, list := range bootstrappolicy.NamespaceRoleBindings() {
		bindings = append(bindings, pointers(list)...)
	}
	priorities := []runtime.Object{}
	for _, p := range schedulingv1.SystemPriorityClasses() {
		priorities = append(priorities, p.DeepCopy())
	}
	return []defaults{
		{rbacrest.PostStartHookName, map[schema.GroupResource][]runtime.Object{
			rbacv1.Resource("clusterroles"):        pointers(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()),
			rbacv1.Resource("clusterrolebindings"): pointers(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()),
			rbacv1.Resource("roles"):               roles,
			rbacv1.Resource("rolebindings"):        bindings,
		}},
		{schedulingrest.PostStartHookName, map[schema.GroupResource][]runtime.Object{
			scheduling.Resource("priorityclasses"): priorities,
		}},
		{"", map[schema.GroupResource][]runtime.Object{
			flowcontrolv1.Resource("flowschemas"): automatic(
				flowcontrolbootstrap.MandatoryFlowSchemas, flowcontrolbootstrap.SuggestedFlowSchemas),
			flowcontrolv1.Resource("prioritylevelconfigurations"): automatic(
				flowcontrolbootstrap.MandatoryPriorityLevelConfigurations, flowcontrolbootstrap.SuggestedPriorityLevelConfigurations),
			corev1.Resource("serviceaccounts"): controllerAccounts(),
		}},
	}
}

// automatic are copies of priority and fairness' objects, marked as upstream marks those that it
// keeps up to date (k8s.io/kubernetes/pkg/registry/flowcontrol/ensurer).
func automatic[T interface {
	runtime.Object
	metav1.Object
}](lists ...[]T) (objects []runtime.Object) {
	for _, o := range slices.Concat(lists...) {
		o := o.DeepCopyObject().(T)
		annotations := maps.Clone(o.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[flowcontrolv1.AutoUpdateAnnotationKey] = "true"
		o.SetAnnotations(annotations)
		objects = append(objects, o)
	}
	return objects
}

// controllerAccounts are the service accounts as which the controllers act: those that the default
// bindings name. The controller manager makes each that it misses.
func controllerAccounts() (objects []runtime.Object) {
	seen := map[string]bool{}
	for _, b := range bootstrappolicy.ControllerRoleBindings() {
		for _, s := range b.Subjects {
			if s.Kind == rbacv1.ServiceAccountKind && !seen[s.Namespace+"/"+s.Name] {
				seen[s.Namespace+"/"+s.Name] = true
				objects = append(objects, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name}})
			}
		}
	}
	return objects
}

// writeDefaults writes RBAC's default roles and bindings, the system's priority classes, the objects
// of priority and fairness and the controllers' service accounts to the storage before the server
// starts, and returns the names of the post-start hooks that are then left with nothing to do.
//
// Upstream makes sure of the objects with one request to the server after the other, two for each
// that is missing, and the hooks begin with a pause of a second: that was half of the time that a
// new cluster in the tab took from its first request to /readyz. What is written here goes through
// upstream's storage and codec; it differs from objects made through the API in that nobody manages
// their fields (ADR 11).
//
// An object that exists is left alone, and its hook is needed: it reconciles what an earlier
// version or somebody's edit left.
func writeDefaults(ctx context.Context, factory *serverstorage.DefaultStorageFactory) (done []string, err error) {
	for _, d := range bootstrap() {
		existed := false
		for resource, objects := range d.objects {
			some, err := writeMissing(ctx, factory, resource, objects)
			if err != nil {
				return nil, fmt.Errorf("write the default %s: %w", resource, err)
			}
			existed = existed || some
		}
		if !existed && d.hook != "" {
			done = append(done, d.hook)
		}
	}
	return done, nil
}

// pointers are the objects of the lists.
func pointers[T any, P interface {
	*T
	runtime.Object
}](lists ...[]T) (objects []runtime.Object) {
	for _, list := range lists {
		for i := range list {
			objects = append(objects, P(&list[i]))
		}
	}
	return objects
}

// writeMissing creates the objects under the keys where the registry looks for them, and reports
// whether one was there.
func writeMissing(ctx context.Context, factory *serverstorage.DefaultStorageFactory, resource schema.GroupResource, objects []runtime.Object) (existed bool, err error) {
	config, err := factory.NewConfig(resource, objects[0])
	if err != nil {
		return false, err
	}
	prefix := "/" + factory.ResourcePrefix(resource)
	raw, destroy, err := generic.NewRawStorage(config, nil, nil, prefix)
	if err != nil {
		return false, err
	}
	defer destroy()
	for _, object := range objects {
		legacyscheme.Scheme.Default(object)
		m, err := meta.Accessor(object)
		if err != nil {
			return false, err
		}
		rest.FillObjectMetaSystemFields(m)
		key, err := registry.NoNamespaceKeyFunc(ctx, prefix, m.GetName())
		if m.GetNamespace() != "" {
			key, err = registry.NamespaceKeyFunc(genericapirequest.WithNamespace(ctx, m.GetNamespace()), prefix, m.GetName())
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", m.GetName(), err)
		}
		err = raw.Create(ctx, key, object, nil, 0)
		if storage.IsExist(err) {
			existed = true
		} else if err != nil {
			return false, fmt.Errorf("%s: %w", m.GetName(), err)
		}
	}
	return existed, nil
}
